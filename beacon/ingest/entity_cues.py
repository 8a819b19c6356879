"""Words that tell what kind of thing the name beside them names: head nouns, verbs and prepositions of general language."""

from beacon.domain.graph import EntityType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSON = """actor actress activist administrator ambassador analyst architect artist astronaut astronomer astrophysicist athlete
    attorney author banker biologist boxer businessman businesswoman ceo chairman chairwoman chemist chef coach colleague columnist
    comedian commentator commissioner composer congressman congresswoman consultant cosmonaut cricketer critic dancer designer developer
    dictator diplomat director doctor drummer economist editor emperor engineer entrepreneur farmer filmmaker footballer founder
    co-founder geologist golfer governor guitarist historian host inventor investor journalist judge king lawyer lawmaker leader
    lecturer legislator linguist mathematician mayor merchant minister missionary model moderator musician novelist nurse painter
    pastor philosopher photographer physician physicist pianist playwright player poet politician pope postdoc president priest prince
    princess producer professor programmer prosecutor psychologist queen rapper reporter researcher scholar scientist screenwriter
    sculptor senator singer sociologist soldier songwriter spokesman spokesperson spokeswoman student surgeon teacher technician
    theologian trader treasurer violinist wrestler writer"""
_ORGANIZATION = """administration agency alliance association authority band bank broadcaster brewery bureau business charity choir
    club coalition college commission committee company conglomerate consortium contractor corporation council court department
    developer-owned distributor division employer enterprise federation firm foundation fund government hospital institute institution
    insurer investor-owned laboratory lab legislature lender maker manufacturer ministry museum network newspaper ngo nonprofit non-profit
    observatory orchestra operator-owned organisation organization parliament party police provider publisher regulator retailer school
    railroad railway regiment brigade battalion
    secretariat startup start-up subsidiary supplier team thinktank think-tank tribe union university utility vendor watchdog
    empresa agencia universidad compañía organización entreprise agence université société unternehmen behörde universität firma"""
_PLACE = """airport archipelago asteroid borough canyon capital city coast comet continent country county crater creek desert
    district exoplanet forest galaxy glacier harbour harbor hamlet hill island isle kingdom lake locality metropolis moon mountain
    municipality nation nebula neighborhood neighbourhood ocean park peninsula planet port prefecture province region republic river
    sea settlement stadium star state street suburb territory town township valley village volcano waterfall
    asteroide ciudad país río isla ville pays île stadt insel fluss land"""
_PRODUCT = """aircraft airliner antenna api app appliance application browser bus camera car chatbot chip chipset compiler console
    computer database dataset device drone drug editor-software emulator engine firewall firmware framework gateway handset
    helicopter ide instrument interface jet kernel keyboard kit lander language laptop launcher library locomotive missile motherboard
    motorcycle orbiter package phone platform plugin plug-in processor probe product programming-language proxy radar repository robot
    rocket router rover runtime satellite scanner scooter search-engine server shuttle smartphone smartwatch software spacecraft
    spectrograph spectrometer submarine suite supercomputer tablet tank telescope television tool toolkit truck utility-software vaccine
    vehicle vessel warship watch website workstation
    telescopio télescope teleskop sonda satélite logiciel software-paket"""
_CONCEPT = """act algorithm amendment bill catalog catalogue clause concept constant currency diagnosis directive disease disorder
    doctrine equation format formula hypothesis index infection law measure method methodology metric movement paradigm paradox
    philosophy pattern principle programme protocol rate ratio regulation religion rule scale sport standard statute strategy syndrome
    tax technique technology theorem theory treaty treatment unit virus vulnerability weakness"""
_EVENT = """battle campaign ceremony championship competition conference crisis earthquake election eruption exhibition expo festival
    hackathon hearing hurricane incident invasion massacre meetup olympics outbreak pandemic protest race rebellion referendum revolt
    revolution riot storm summit symposium tournament trial typhoon uprising war wildfire workshop"""
_WORK = """album anime anthology article ballad ballet biography book cartoon comic documentary essay film game journal magazine manga
    memoir movie musical novel novella opera painting paper play podcast poem sculpture sequel series show single sitcom song
    soundtrack symphony telenovela thriller trilogy videogame"""
_TYPED: tuple[tuple[EntityType, str], ...] = (
    ("person", _PERSON),
    ("organization", _ORGANIZATION),
    ("place", _PLACE),
    ("product", _PRODUCT),
    ("concept", _CONCEPT),
    ("event", _EVENT),
    ("work", _WORK),
)
# "X is a company", "the company X", "the X telescope": the noun's type is the name's.
NOUNS: dict[str, EntityType] = {word: kind for kind, words in _TYPED for word in words.split()}
# Nouns that stand after many kinds of names ("Acme engine", "Ohio law"), and so prove less there.
LOOSE = _words(
    """act agency algorithm amendment bill business campaign capital catalog catalogue clause company competition concept constant
    crisis currency database dataset director division education election format formula fund game government hearing incident
    infection interface investor kit language law library maker measure meeting method methodology metric model module movement
    network operator organization package paper party pattern phone platform play player port principle product programme provider
    race rate ratio regulation report repository rule school series server show single standard star state station statute storage
    store strategy subsidiary suite supplier system tax team technique technology tool treatment trial unit vendor virus
    vulnerability war weakness website"""
)
ANNOUNCING = _words(
    """said says announced announces launched released published issued unveiled reported reports declined confirmed operates
    manufactures patched warned urged urges employs voted agreed hired recommends advises advised estimates funded acquired bought sued
    dijo anunció publicó annonce annoncé teilte"""
)
SAYING = _words("""said says told asked asks wrote writes argued argues added replied testified recalled thinks explained joked laughed""")
# Who belongs to an organization: "X's CEO", "X researchers", "employees of X".
STAFF = _words(
    """ceo cfo cto chief executives executive employees employee officials official spokesperson spokesman spokeswoman shareholders
    headquarters board staff shares stock subsidiary"""
)
STARRING = _words("""starring co-starring stars""")
KIN = _words("""wife husband son daughter father mother brother sister career childhood widow autobiography""")
LAND = _words("""population economy border borders capital coast government parliament army inhabitants citizens climate""")
# The noun before "of".
OF_PLACE = _words("""city town capital north south east west coast island village people citizens outskirts streets port""")
OF_ORGANIZATION = _words("""ceo cto cfo founder cofounder co-founder chairman employees subsidiary customers shareholders spokesperson""")
OF_PRODUCT = _words("""version versions users installation installations instance instances deployment deployments release releases copy""")
OF_WORK = _words("""episode season cast chapter""")
AT_PEOPLE = _words(
    """works worked working researcher researchers scientist scientists engineer engineers professor analyst economist students employee
    employees astronomer astronomers physicist developer job"""
)
IN_PLACE = _words("""born located based living lives lived headquartered situated held buried raised""")
IN_PRODUCT = _words("""written implemented programmed coded vulnerability flaw bug vulnerabilities bugs""")
TO_PLACE = _words("""moved travelled traveled flew fled emigrated returned came went trip visit""")
TO_PRODUCT = _words("""migrate migrated migrating switched switch upgrade upgraded upgrading""")
USING = _words(
    """using use uses install installs installed installing deploy deployed deploying configure configured run runs running via"""
)
NAMED = _words("""named called dubbed""")
WHERE = _words("""in across throughout outside around inside near from""")
PRODUCT_ENDS = _words(
    """suite server browser telescope engine sdk sdks cms gateway router firewall runtime toolkit desktop app player console phone watch
    rover spacecraft satellite probe orbiter lander vehicle rocket capsule shuttle camera spectrograph spectrometer plugin extension
    database exporter proxy appliance builder operator chart editor workbench cloud linux os api ide cli dashboard firmware"""
)
WORK_ENDS = _words("""book handbook manual bulletin newsletter dictionary encyclopedia encyclopaedia almanac whitepaper""")
CONCEPT_TAILS = ("tion", "tions", "sion", "ment", "ments", "ness", "ology", "ologies", "ability")  # hardly ever the end of a proper name
