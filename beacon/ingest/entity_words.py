"""Closed word lists of entity extraction: function words, titles and cues of general language, never of one data set."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that are capitalised only because a sentence begins with them. Lower case.
STOP = _words(
    """a about above absolutely according accordingly across actually additional additionally after afterwards again against ago
    agreed ah alas all almost alone along already alright also alternatively although always am amazing amid among an and another
    any anybody anyone anything anyway anywhere apart apparently apply are aren't around as aside ask assume at avoid awesome away
    back based basically be because been before begin behind being below beneath beside besides best better between beyond big
    both briefly bring broadly build but by bye call came can can't cannot certain certainly check choose clearly click close come
    congrats congratulations consider consequently contrary cool correct could couldn't create currently dear definitely depending
    despite did didn't different do does doesn't doing don't done down due during each earlier early easy either else elsewhere
    enjoy enough ensure especially even eventually ever every everybody everyone everything everywhere exactly except exciting
    excuse extremely fair fairly far few finally find fine first firstly follow following for former formerly forward frankly from
    full further furthermore general generally get getting give given go going gonna good got gotta gotcha great greetings had
    hadn't half haha happy hardly has hasn't have haven't having he he'd he'll he's hello hence her here here's hers herself hey
    hi high highly him himself his hm hmm honestly hope hopefully how how's however huge i i'd i'll i'm i've if imagine
    importantly in including incredible indeed initially inside instead interesting interestingly into involving is isn't it it'd
    it'll it's its itself just keep know largely last lastly late later latest least less let let's lets like likely likewise
    literally little live local long look looking lots love low made mainly make many may maybe me mean meantime meanwhile might
    mine moreover more most mostly multiple much must my myself nah namely near nearly need neither never nevertheless new next nice no
    nobody none nonetheless nope nor normally not note nothing notably now nowadays nowhere obviously occasionally of off often oh
    ok okay old on once one ones only onto open or originally other others otherwise ought our ours ourselves out outside over
    overall own partly particularly past per perfect perhaps personally plain please plus point possible possibly potentially
    presumably previous previously primarily prior probably provided put quickly quite rather re read really recent recently
    regarding regardless relatively remember responding respondents right roughly run said same say says second secondly see
    seemingly seems select send seriously set several shall she she'd she'll she's should shouldn't show similar similarly simple
    simply since single small so some somebody somehow someone something sometimes somewhat somewhere soon sorry sort sounds
    specifically start still stop strong subsequently such suddenly super suppose sure surely surprisingly take talk tell than
    thank thanks that that'd that'll that's the thee their theirs them themselves then there there's thereafter therefore these
    they they'd they'll they're they've thing things think third thirdly this those though through throughout thus till to today
    together told tomorrow tonight too totally toward towards traditionally truly try turn twice typically ugh uh ultimately um
    under understand understood undoubtedly unfortunately unless unlike unsurprisingly until up upon us use used useful using
    usually various versus very via view viewed views want wanna was wasn't we we'd we'll we're we've welcome well were weren't
    what what's whatever when whenever where whereas wherever whether which whichever while who who's whoever whole whom whose why
    will wish with within without won't wonderful worse worst would wouldn't wow write yeah yep yes yesterday yet you you'd you'll
    you're you've young your yours yourself"""
)  # fmt: skip
# Of these, the ones that also stand inside names ("New York", "Open Market Committee", "First National Bank").
NAMEABLE = _words(
    """best better big build clear close cool early fair fine first former free full general good great half happy high hope huge
    just last late like little live local long look love low near new next nice old one only open original
    outside over past perfect personal plain plus point prior right run second set show simple single small some sound
    start still stop strong super take talk third together today tomorrow tonight united up upper view well
    wild without wonderful young all back beyond very"""
)
BREAKING = STOP - NAMEABLE
# Function words of other languages written with capitals, where they begin a sentence; inside names they are common ("Los Angeles").
STOP |= _words(
    """der die das ein eine einer eines einem einen und oder aber nicht ist sind war wir sie ihr ihre mit für von bei nach auf aus
    dem den des im am zum zur wenn weil dass als wie auch nur noch schon sehr hier dort heute es er ich man kein keine diese
    dieser dieses le les une un et ou mais est sont nous vous ils elles il elle je ce cette ces dans pour avec sur sans par qui
    que quoi dont aux au du des son sa ses leur leurs plus comme si très où donc ainsi cependant el los las una unos unas y pero
    es son nosotros ellos ellas yo esto esta este estos estas en para con por sin sobre que quien cuando donde como más muy
    también se su sus lo al del según tampoco o os as um uma uns umas e mas é são nós eles elas eu isto esta este em para com por sem
    sobre que quem quando onde também não na no nas nos gli uno ma sono noi loro io questo questa nel nella con per senza che chi
    quando dove anche non si het een en of maar zijn wij zij ik dit dat deze met voor van bij naar niet ook и в во не что он на я
    с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему это этот эта они мы
    для при или если когда где после также через более"""
)
MONTHS = _words(
    """january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre
    novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"""
)
WEEKDAYS = _words(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
    mon tue tues wed thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi
    jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo"""
)
NUMBER_WORDS = _words(
    """zero two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred hundreds thousand
    thousands million millions billion billions trillion dozen fourth fifth sixth seventh eighth ninth tenth q1 q2 q3 q4 h1 h2 fy"""
)
SEASONS = _words("""spring summer autumn fall winter christmas easter weekend morning afternoon evening night""")
# Headings and labels: no entity by themselves or with a number.
LABELS = _words(
    """abstract acknowledgements acknowledgments action actions address agenda annex answer answers appendix appendices article
    attachment author authors background bibliography box bullet category chapter chart class column comment comments conclusion
    conclusions contents context copyright data date day definition definitions description details discussion document edit email
    episode example examples exercise exhibit explanation fact facts figure figures file findings footnote goal goals guide
    heading home id image impact introduction issue item key label lemma length level levels line link links list listing location menu
    message method methods minutes mitigation mitigations module name names narrator notes number objective objectives option
    options outcome outlook overview page panel paragraph part participant participants people percent period phase photo picture
    preface priority problem problems product proof purpose question questions reason reasons recommendation recommendations
    reference references related remarks report reports requirement requirements response responses result results review rule
    sample scene screenshot screenshots revision study schedule schema score section sections sentence series severity share sheet
    slide solution source sources speaker
    stage statement statements status step steps story subject sub-section subsection summary survey table tables tag tags target
    task tasks template term terms text theme themes theorem time tip tips title topic topics total transcript type unknown update
    updates url usage user users value values verse version video volume warning week year years"""
)
# Words so general that, alone, they name nothing until the document says what they stand for ("the Committee").
GENERIC = _words(
    """academy act administration agency agreement airport alliance amendment area army assembly association authority award bank
    bay board bridge building bureau cabinet campus capital center centre chamber church city club coalition code college command
    commission commissioners committee community company conference congregation consortium convention cooperative corporation
    corps council country county court delegation department directorate district division empire enterprise estate executive
    exchange faculty federation festival firm force forum foundation fund garden government group guild hall headquarters hospital
    house industry initiative institute institution island judge judiciary jury kingdom laboratory lake law league legislature
    library management manager market meeting members ministry mission mountain movement municipality museum nation navy network
    office officer officers order organisation organization panel parish park parliament party plan platform police policy prize
    program programme project province railway region registry republic river road school senate service services society staff
    standard state states station street studio subcommittee summit system task team theater theatre town treaty tribunal trust
    union university unit valley village working world"""
)
PERSON_TITLES = _words(
    """mr mrs ms miss mx dr prof professor sir dame madam madame mme mlle monsieur herr frau señor señora sr. sra signor signora
    rev reverend hon sen senator rep gov lt col capt sgt cmdr congressman congresswoman congressperson father brother sister
    doctor imam rabbi sheikh"""
)
ROLES = _words(
    """actor actress singer rapper coach president chair chairman chairwoman chairperson governor secretary minister chancellor
    ambassador commissioner director ceo
    cto cfo coo cio ciso vp svp evp justice judge attorney mayor premier senator representative treasurer spokesperson spokesman
    spokeswoman co-chair co-founder founder vice prime deputy acting interim assistant associate engineer analyst editor captain
    lieutenant colonel sergeant major admiral commander lead principal staff senior junior chief officer vice-president vice-chair"""
)
LEADING_ROLES = ROLES - _words(
    """major principal staff senior junior lead associate assistant engineer analyst editor officer chief acting interim"""
)
CONNECTORS = _words("""of the de del della di da do dos du des la le las los van von der den zu al el bin ibn ben & and for on in to at""")
FREE_CONNECTORS = _words("""of de del della di da do dos du des la le las los van von der den zu al el bin ibn ben & the""")
# "Committee on X", "Center for X": heads that take more than "of" into the name.
TAKES_PREPOSITION = _words(
    """academy act agency agreement alliance association authority bureau campaign center centre coalition college commission
    committee conference convention council department dialogue directorate forum foundation framework fund group initiative
    institute institution law minister ministry network office organisation organization panel partnership program programme
    project protocol school society subcommittee summit symposium treaty workshop"""
)
ORGANIZATION_ENDS = _words(
    """inc inc. corp corp. ltd llc llp plc gmbh ag sa nv bv spa oy ab kg pty co company companies corporation group holdings
    holding committee commission council board agency bank university college institute association society foundation ministry
    department bureau office administration authority union league party team club court senate congress parliament army navy
    force forces police hospital school academy press records studios entertainment airlines airways airline orchestra band
    federation organization organisation initiative network center centre laboratory laboratories labs partners ventures services systems
    technologies industries motors consortium alliance coalition committees trust fund treasury reserve times post journal news
    magazine gazette tribune herald broadcasting communications church survey pictures films productions observatory universität
    universidad université banco banque ministerio ministère partei verein gesellschaft instituto institut"""
)
# Of these, the ones that tell an organization from anywhere in a name.
ORGANIZATION_MARKS = _words(
    """inc corp ltd llc university ministry committee commission agency institute bank council department association society"""
)
ORGANIZATION_HEADS = _words(
    """university bank ministry department bureau institute office board committee commission council college school court house
    church organization organisation federation association society academy league union bank museum banco banque universidad
    université ministerio ministère universität instituto confederation"""
)
PLACE_ENDS = _words(
    """river lake island islands mountain mountains valley county city province street avenue road bay sea ocean peninsula park
    bridge airport beach desert forest coast village town district region kingdom republic square hills creek canyon falls strait
    gulf hemisphere station castle palace"""
)
PLACE_HEADS = _words("""lake mount mt cape fort port gulf isle los san santa são saint-""")
EVENT_ENDS = _words(
    """war olympics cup championship championships conference summit festival revolution crisis election elections awards games
    congress forum con riots massacre uprising earthquake hurricane pandemic"""
)
WORK_CUES = _words(
    """film movie novel book album song single series show play game musical magazine opera poem painting sitcom documentary
    memoir podcast newspaper essay"""
)
CONCEPT_ENDS = _words(
    """theory theorem index effect syndrome disease disorder algorithm protocol principle law rule rate model method act amendment
    equation hypothesis paradox standard specification framework methodology vulnerability vulnerabilities scale projections conventions"""
)
PLACES = frozenset(
    """afghanistan|africa|alabama|alaska|albania|algeria|america|andorra|angola|antarctica|argentina|arizona|arkansas|armenia|asia|
australia|austria|azerbaijan|bahamas|bahrain|bangladesh|barbados|belarus|belgium|belize|benin|bhutan|bolivia|
bosnia and herzegovina|botswana|brazil|brunei|bulgaria|burkina faso|burundi|california|cambodia|cameroon|canada|chad|chile|china|
colombia|colorado|congo|connecticut|costa rica|croatia|cuba|cyprus|czech republic|czechia|delaware|denmark|djibouti|
dominican republic|ecuador|egypt|el salvador|england|eritrea|estonia|eswatini|ethiopia|europe|fiji|finland|florida|france|gabon|
gambia|georgia|germany|ghana|great britain|greece|grenada|guatemala|guinea|guyana|haiti|hawaii|honduras|hong kong|hungary|iceland|
idaho|illinois|india|indiana|indonesia|iowa|iran|iraq|ireland|israel|italy|ivory coast|jamaica|japan|jordan|kansas|kazakhstan|
kentucky|kenya|kosovo|kuwait|kyrgyzstan|laos|latin america|latvia|lebanon|lesotho|liberia|libya|liechtenstein|lithuania|louisiana|
luxembourg|madagascar|maine|malawi|malaysia|maldives|mali|malta|maryland|massachusetts|mauritania|mauritius|mexico|michigan|
middle east|minnesota|mississippi|missouri|moldova|monaco|mongolia|montana|montenegro|morocco|mozambique|myanmar|namibia|nebraska|
nepal|netherlands|nevada|new hampshire|new jersey|new mexico|new york|new zealand|nicaragua|niger|nigeria|north america|
north carolina|north dakota|north korea|north macedonia|northern ireland|norway|ohio|oklahoma|oman|oregon|pakistan|palestine|
panama|papua new guinea|paraguay|pennsylvania|peru|philippines|poland|portugal|puerto rico|qatar|rhode island|romania|russia|
rwanda|samoa|saudi arabia|scandinavia|scotland|senegal|serbia|seychelles|sierra leone|singapore|slovakia|slovenia|somalia|
south africa|south america|south carolina|south dakota|south korea|soviet union|spain|sri lanka|sudan|suriname|sweden|switzerland|
syria|taiwan|tajikistan|tanzania|tennessee|texas|thailand|togo|tonga|tunisia|turkey|türkiye|turkmenistan|uganda|ukraine|
united arab emirates|united kingdom|united states|united states of america|uruguay|usa|us|u.s|u.s.a|uk|u.k|utah|uzbekistan|
vanuatu|vatican city|venezuela|vermont|vietnam|virginia|wales|washington|west virginia|wisconsin|wyoming|yemen|zambia|zimbabwe|
euro area|deutschland|österreich|schweiz|frankreich|españa|méxico|brasil|italia|россия|україна|украина|україни""".replace("\n", "").split(
        "|"
    )
)
DEMONYMS = _words(
    """african afghan albanian algerian american americans arab arabic argentine argentinian armenian asian australian australians
    austrian bangladeshi basque belgian bolivian brazilian british britons bulgarian burmese cambodian canadian canadians catalan
    catholic chilean chinese christian colombian croatian cuban czech danish dutch egyptian english estonian ethiopian european
    europeans filipino finnish flemish french georgian german germans greek hebrew hindi hindu hungarian icelandic indian indians
    indonesian iranian iraqi irish islamic israeli italian italians jamaican japanese jewish jordanian kenyan korean kuwaiti latin
    latino latvian lebanese libyan lithuanian malaysian mexican mexicans mongolian moroccan muslim nepali nigerian norwegian
    ottoman pakistani palestinian persian peruvian polish portuguese protestant roman romanian russian russians saudi scottish
    serbian slovak slovenian soviet spanish sudanese swedish swiss syrian taiwanese thai tibetan tunisian turkish ukrainian
    ukrainians venezuelan asians africans hispanics latinos whites blacks arabs chileans indians vietnamese welsh western eastern
    northern southern democratic republican democrats republicans"""
)
PEOPLES = DEMONYMS | _words("""rican ricans lankan lankans zealanders arabians islanders""")
DIRECTIONS = _words("""north south east west central latin african native puerto sri saudi old anglo new""")
# Capitals that are no name: emphasis, clock, boilerplate.
CAPITALS = _words(
    """OK AM PM AD BC BCE CE TV ID FAQ TBD TBA NA N/A Q&A RE FW FYI ASAP AKA ETC VS NB PS LOL OMG IMO TRUE FALSE YES NULL AND NOT ALL
    FIRST"""
)
TITLED_CAPITALS = _words("""CEO CTO CFO COO CIO CISO VP SVP EVP MD PhD MBA""")
FIRST_NAMES = _words(
    """aaron abdul abigail adam adriana adrian ahmed aisha alan albert alberto alejandro alex alexander alexandra alexei alfred
    ali alice alicia alison amanda amir amy ana anastasia andre andrea andreas andrew andrey angela anil anita anna anne annette
    anthony antonio april arjun arnold arthur ashley audrey aurora barbara beatrice ben benjamin bernard beth bettina bill bob
    boris brad brandon brenda brian bruce bruno camila carl carla carlos carmen carol caroline catherine cecilia charles charlie
    charlotte chen chloe chris christian christina christine christopher claire clara claudia colin connor craig cristina cynthia
    daniel daniela danielle darren david dawn deborah debra denis dennis derek diana diane diego dmitri dmitry dominic donald
    donna doris dorothy douglas duncan dylan eduardo edward edwin elaine eleanor elena eli elizabeth ella ellen emily emma enrique
    eric erica erik esther ethan eugene eva evelyn fatima felix fernando fiona florence frances francesca francesco francis
    francisco frank fred frederick friedrich gabriel gabriela gareth gary geoffrey george georgia gerald gerard gina giovanni
    giulia gloria gordon grace graham greg gregory guillermo gustav hamza hannah hans harold harriet harry hassan heather hector
    heinrich helen helena henri henry herbert howard hugo ian ibrahim igor ines ingrid irene iris isaac isabel isabella ivan jack
    jacob jacqueline jacques jake james jamie jan jane janet jason javier jean jeff jeffrey jennifer jeremy jerome jerry jesse
    jessica jill jim jimmy joan joanna joe joel johann johannes john johnny jonathan jordan jorge jose josé joseph joshua joyce
    juan juana judith judy julia julian julie juliet julio justin karen karl kate katherine kathleen kathryn katie keith kelly ken
    kenneth kevin khalid kim klaus kristina kyle lars laura lauren laurence lawrence leah lee lena leo leon leonard leonardo
    leslie lewis liam lillian linda lindsay lisa logan lorenzo lorraine louis louisa louise lucas lucia lucy luigi luis luke lydia
    lynn madeleine maggie manuel marc marcel marco marcus margaret maria marie mario marion marjorie mark martha martin martina
    mary mateo matthew maureen maurice max maxim maya megan mei melanie melissa mia michael michel michele michelle miguel mike
    mikhail mohamed mohammed molly monica morgan muhammad nadia nancy naomi natalia natalie nathan neil nicholas nick nicola
    nicolas nicole nigel nikolai nina noah noel nora norma norman oleg olga oliver olivia omar oscar otto pablo pamela patricia
    patrick paul paula pedro peggy penelope peter petra phil philip philippe phillip phyllis pierre priya rachel rafael raj ralph
    ramon raymond rebecca regina renata rene ricardo richard rita rob robert roberto robin rodrigo roger roland roman ronald rosa
    rose ross roy ruby rudolf rupert russell ruth ryan sally salvador sam samantha samuel sandra sanjay sara sarah scott sean
    sebastian sergei sergey sergio sharon sheila shirley silvia simon sofia sonia sophia sophie stanley stefan stella stephanie
    stephen steve steven stuart susan suzanne sven sylvia tanya tara ted teresa thelma theodore theresa thomas tim timothy tina
    tobias todd tom tony tracy ulrich ursula valentina valerie vanessa vera veronica victor victoria vincent viola virginia vivian
    vladimir walter wanda warren wayne wei wendy wilhelm will william winston xavier yolanda yuki yusuf yvonne zachary zoe"""
)
