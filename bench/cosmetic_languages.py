# ruff: noqa: E501  prose stands as it is
"""Documents of our own for measuring comparison in other languages: German, French and Chinese."""

from bench.cosmetic_documents import Sample

GERMAN = Sample(
    "badeordnung",
    """# Badeordnung des Freibads am Mühlbach

Diese Badeordnung gilt für alle Gäste des Freibads. Sie ist seit dem 2026-05-01 in Kraft und ersetzt die Fassung vom 2022-04-15.

## Öffnungszeiten

Das Bad ist von Mai bis September täglich von 9 bis 20 Uhr geöffnet. Bei Gewitter werden die Becken geräumt. Der letzte Einlass ist 45 Minuten vor Schluss. Frühschwimmer dürfen dienstags schon ab 6 Uhr ins Wasser.

## Eintritt

Eine Tageskarte kostet 5,50 Euro. Kinder unter 6 Jahren zahlen nichts. Die Saisonkarte ist für 95 Euro an der Kasse und im [Bürgerbüro](https://bad.example.org/karten) erhältlich. Inhaber eines Sozialpasses erhalten 50 Prozent Ermäßigung. Gelöste Karten werden nicht zurückgenommen.

## Verhalten im Bad

Folgendes ist nicht gestattet:

- das Springen vom Beckenrand im Nichtschwimmerbereich
- das Rauchen außerhalb der markierten Flächen
- das Mitbringen von Glasflaschen und Hunden
- das Abspielen lauter Musik, z. B. über Lautsprecher

Nichtschwimmer müssen im flachen Becken bleiben. Die Rutsche darf nur einzeln benutzt werden. Vor dem Schwimmen muss geduscht werden. Den Anweisungen des Personals ist Folge zu leisten.

## Haftung

Für Wertsachen wird nicht gehaftet. Schließfächer kosten 1 Euro Pfand und werden abends geleert. Fundsachen werden 6 Wochen lang aufbewahrt und danach versteigert. Wer etwas beschädigt, muss den Schaden ersetzen.

## Becken und Wasser

Das Schwimmerbecken ist 50 Meter lang und hat acht Bahnen. Das Wasser wird auf 24 Grad erwärmt. Die Wasserqualität wird zweimal täglich geprüft. Rund 80 Prozent der Wärme liefern Sonnenkollektoren auf dem Dach. Das Becken fasst 2.400 Kubikmeter Wasser.
""",
    (
        ("changed", "Eine Tageskarte kostet 5,50 Euro", "Eine Tageskarte kostet 6,00 Euro", "Tageskarte kostet", "Tageskarte kostet"),
        ("changed", "Der letzte Einlass ist 45 Minuten", "Der letzte Einlass ist 60 Minuten", "letzte Einlass", "letzte Einlass"),
        ("changed", "Gelöste Karten werden nicht zurückgenommen", "Gelöste Karten werden am selben Tag zurückgenommen", "Karten werden nicht", "am selben Tag"),
        ("changed", "auf 24 Grad erwärmt", "auf 22 Grad erwärmt", "Das Wasser wird auf", "Das Wasser wird auf"),
        ("dropped", " Vor dem Schwimmen muss geduscht werden.", "", "muss geduscht werden", ""),
    ),
    "de",
)  # fmt: skip

FRENCH = Sample(
    "reglement-marche",
    """# Règlement du marché couvert de la place aux Tilleuls

Le présent règlement s'applique à tous les commerçants du marché couvert. Il est en vigueur depuis le 2026-01-10 et remplace celui du 2021-06-21.

## Horaires

Le marché est ouvert au public du mardi au dimanche, de 7 heures à 13 heures. Les livraisons se terminent avant 6 heures 30. Les étals doivent être vides à 14 heures. Le marché est fermé le lundi, sauf en décembre.

## Emplacements

Le marché compte 64 emplacements. Un commerçant peut occuper au plus trois emplacements. Les demandes sont adressées à la [régie](https://marche.example.org/regie) avant le 2026-11-30. La liste d'attente est affichée à l'entrée. Un emplacement vide pendant 4 semaines est attribué à un autre commerçant.

## Tarifs

Le droit de place est de 3,20 euros par mètre et par jour. Les producteurs de la commune bénéficient d'une remise de 25 pour cent. L'électricité est facturée selon la consommation. Un retard de paiement de plus de 15 jours entraîne la suspension du droit de place.

## Hygiène

Les commerçants doivent respecter les règles suivantes :

- les poissons sont présentés sur de la glace pilée
- les déchets sont triés et portés au local prévu
- les sacs en plastique sont interdits
- les chiens ne sont pas admis entre les étals

Chaque étal est nettoyé à la fin de la matinée. L'eau de lavage ne doit pas couler dans les allées. Un contrôle a lieu au moins deux fois par an. Les résultats sont affichés pendant un mois.

## Sanctions

Un premier manquement donne lieu à un avertissement. Au troisième manquement, l'emplacement est retiré. Le commerçant peut présenter ses observations devant la commission. La commission se réunit chaque trimestre et compte sept membres.
""",
    (
        ("changed", "est de 3,20 euros par mètre", "est de 3,80 euros par mètre", "Le droit de place est", "Le droit de place est"),
        ("changed", "au plus trois emplacements", "au plus deux emplacements", "commerçant peut occuper", "commerçant peut occuper"),
        ("changed", "Les étals doivent être vides à 14 heures", "Les étals doivent être vides à 15 heures", "doivent être vides", "doivent être vides"),
        ("changed", "- les chiens ne sont pas admis entre les étals", "- les chiens sont admis entre les étals", "admis entre les", "admis entre les"),
        ("dropped", " Les résultats sont affichés pendant un mois.", "", "Les résultats sont", ""),
    ),
    "fr",
)  # fmt: skip

CHINESE = Sample(
    "bowuguan",
    """# 河湾博物馆参观须知

河湾博物馆位于老码头旁边，由一座旧仓库改建而成。本须知自2026-03-01起施行，适用于所有观众。

## 开放时间

博物馆每周二至周日上午9点至下午5点开放。下午4点停止入馆。逢周一闭馆，法定节假日除外。冬季开放时间另行公布。

## 门票

成人票价为40元。六十岁以上的观众凭证件免费参观。学生票享受50%的优惠。团体参观须提前3天预约，每团人数不超过30人。门票售出后不予退换。

## 参观规则

观众应当遵守以下规定：

- 展厅内禁止使用闪光灯和三脚架
- 请勿触摸展品和展柜玻璃
- 食品和饮料不得带入展厅
- 儿童须由成年人陪同参观

大件行李应当寄存在一楼服务台，寄存免费。贵重物品请自行保管。馆内提供语音导览，租金为每台20元。导览设备须在闭馆前归还。

## 展览

常设展览共有1200件展品，介绍河湾地区三千年的历史。其中约八成展品来自本地的考古发掘。二楼的特别展览每年更换两次。古船展厅目前正在维修，预计年底重新开放。图书室只对预约的研究人员开放。

## 交通

乘坐地铁2号线在老码头站下车，步行5分钟即可到达。馆前停车场有80个车位，停车费每小时6元。自行车可以停放在东门。周末观众较多，建议乘坐公共交通。更多信息见[交通页面](https://museum.example.org/way)。

## 志愿者

博物馆欢迎志愿者参加讲解和整理工作。志愿者须年满十八岁，每月至少服务8小时。报名每年春季开始。经过两周培训后方可上岗。志愿者可以免费参加馆内讲座，并在商店享受九折优惠。
""",
    (
        ("changed", "成人票价为40元", "成人票价为55元", "成人票价为", "成人票价为"),
        ("changed", "每团人数不超过30人", "每团人数不超过20人", "团体参观须提前", "团体参观须提前"),
        ("changed", "门票售出后不予退换", "门票售出后可在当日退换", "门票售出后不予", "门票售出后可在当日"),
        ("changed", "停车费每小时6元", "停车费每小时10元", "停车费每小时", "停车费每小时"),
        ("dropped", "报名每年春季开始。", "", "报名每年春季", ""),
    ),
    "zh",
)  # fmt: skip
