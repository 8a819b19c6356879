"""Names that most readers know, for the type of what bears them: capitals, big cities, seas, bodies of the sky, common technical terms."""

CITIES = frozenset(
    """abidjan|abu dhabi|abuja|accra|addis ababa|adelaide|ahmedabad|aleppo|alexandria|algiers|almaty|amman|amsterdam|ankara|antwerp|
asunción|athens|atlanta|auckland|austin|baghdad|baku|bali|baltimore|bamako|bangalore|bangkok|barcelona|basel|beijing|beirut|
belfast|belgrade|bengaluru|berlin|bern|bilbao|birmingham|bishkek|bogotá|bogota|bologna|bonn|bordeaux|boston|brasília|bratislava|
brisbane|bristol|brussels|bucharest|budapest|buenos aires|cairo|calgary|cambridge|canberra|cape town|caracas|cardiff|casablanca|
chennai|chicago|cincinnati|cleveland|cologne|colombo|copenhagen|córdoba|dakar|dallas|damascus|dar es salaam|delhi|denver|detroit|dhaka|
doha|dresden|dubai|dublin|durban|düsseldorf|edinburgh|florence|frankfurt|gaza|gdańsk|geneva|genoa|glasgow|gothenburg|guadalajara|
guangzhou|hamburg|hanoi|harare|havana|heidelberg|helsinki|ho chi minh city|houston|hyderabad|islamabad|istanbul|jakarta|jeddah|
jerusalem|johannesburg|kabul|kampala|kansas city|karachi|kathmandu|khartoum|kiev|kigali|kingston|kinshasa|kolkata|kraków|
kuala lumpur|kyiv|kyoto|lagos|lahore|las vegas|lausanne|leeds|leipzig|lima|lisbon|liverpool|ljubljana|london|los angeles|luanda|lusaka|
lyon|madrid|managua|manchester|manila|maputo|marrakesh|marseille|mecca|medellín|melbourne|memphis|mexico city|miami|milan|milwaukee|
minneapolis|minsk|mogadishu|monterrey|montevideo|montreal|montréal|moscow|mumbai|munich|nagasaki|nagoya|nairobi|naples|nashville|
new delhi|new orleans|nicosia|odessa|osaka|oslo|ottawa|oxford|palermo|paris|perth|philadelphia|phnom penh|pittsburgh|portland|porto|
porto alegre|prague|pretoria|pyongyang|quebec|québec|quito|rabat|raleigh|recife|reykjavik|riga|rio de janeiro|riyadh|rome|rosario|
rotterdam|sacramento|saint petersburg|st. petersburg|salt lake city|salvador|salzburg|san antonio|san diego|san francisco|san jose|
san josé|santiago|santo domingo|sapporo|sarajevo|seattle|seoul|seville|shanghai|shenzhen|skopje|stockholm|strasbourg|stuttgart|sydney|
são paulo|taipei|tallinn|tampa|tashkent|tbilisi|tehran|tel aviv|the hague|thessaloniki|tijuana|tirana|tokyo|toronto|toulouse|tripoli|
tucson|tunis|turin|ulaanbaatar|utrecht|valencia|valparaíso|vancouver|venice|vienna|vilnius|warsaw|washington dc|washington d.c|
wellington|wuhan|yangon|yerevan|yokohama|zagreb|zurich|zürich""".replace("\n", "").split("|")
)
REGIONS = frozenset(
    """alberta|andalusia|arabian sea|arctic|arctic ocean|asia-pacific|atlantic|atlantic ocean|baltic sea|balkans|bavaria|bay of bengal|
bengal|black sea|british columbia|brittany|california|caribbean|caspian sea|catalonia|central america|central asia|crimea|d.c|
east africa|east asia|eastern europe|eurasia|eurozone|flanders|gaza strip|great lakes|gulf of mexico|hokkaido|iberia|indian ocean|
kashmir|korea|lapland|levant|lombardy|maghreb|manitoba|mediterranean|mediterranean sea|melanesia|micronesia|new england|new south wales|
normandy|north sea|northern europe|nova scotia|oceania|okinawa|ontario|pacific|pacific ocean|patagonia|persian gulf|polynesia|punjab|
queensland|quebec|red sea|sahara|saskatchewan|saxony|sahel|siberia|sicily|silicon valley|south asia|south china sea|southeast asia|
southern europe|sub-saharan africa|tasmania|tibet|transylvania|tuscany|ulster|wall street|washington, d.c|west africa|west bank|
western europe|xinjiang|yorkshire|yukon|zanzibar""".replace("\n", "").split("|")
)
SKY = frozenset(
    """earth|moon|sun|mercury|venus|mars|jupiter|saturn|uranus|neptune|pluto|ceres|vesta|phobos|deimos|io|europa|ganymede|callisto|titan|
enceladus|triton|charon|milky way|andromeda|betelgeuse|sirius|proxima centauri|alpha centauri|kuiper belt|oort cloud|asteroid belt|
solar system|tierra|luna|erde|mond|terre|lune|terra|lua|земля|луна""".replace("\n", "").split("|")
)
GAZETTEER = CITIES | REGIONS | SKY
STATE_CODES = frozenset(
    """AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX
    UT VT VA WA WV WI WY DC AB BC MB NB NL NS ON PE QC SK YT""".split()
)
# What anyone may use and nobody makes: formats, protocols, measures, parts and disciplines.
TERMS = frozenset(
    """ACL AES AI AJAX AML API APM APR AR ARPU ASCII AWGN B2B B2C BGP BI BIOS BOM CAD CAPEX CDN CGI CI CLI CMS CNC CORS CPI
    CPU CRC CRM CRUD CSP CSR CSRF CSS CSV CVE CVSS CWE DAG DBMS DDOS DHCP DLL DLP DMZ DNA DNS DOM DOS DRAM DRM DSL DTD EBITDA ECG EDR
    EEG EHR EOL EOS ERP ESG ETA ETF ETL EV FAQ FPGA FTP FX GB GDP GDPR GIF GIS GMO GNP GPS GPU GUI HDD HDMI HIV HMI HR HSM HTML
    HTTP HTTPS IAM ICS ICT IDE IDS IMAP IO IOC IP IPO IPS IPV4 IPV6 IRR ISP IT JDBC JPEG JPG JSON JVM JWT KPI KYC LAN LCD LDAP LED LLM
    LTE M&A MAC MAE MCP MFA MIDI MIME ML MP3 MPEG MQTT MRI MRR MSE MSP MVP NAT NAV NDA NFC NFT NGO NLP NPM NPS NPV NTP OAUTH OCR ODBC OEM
    OIDC OKR OLAP OOP OPEX ORM OS OSS OT OTA P2P PAYE PC PCB PCE PCI PCR PDF PE PHI PII PIN PKI PMI PNG POC POP3 POS PPE PPI PR PTSD
    PUE PV QA QR R&D RAG RAID RAM RAT RBAC RCE RDP REST RFC RFI RFP RGB RISC RNA ROE ROI ROM RPC RPM RSA RSS RTO RTT SAAS SAML SAN SAST
    SBOM SCADA SCIM SDK SDLC SEO SFTP SGML SHA SIEM SIM SKU SLA SLI SLO SMB SME SMS SMTP SNMP SOA SOAP SOC SPF SQL SRE SSD SSH SSL SSO
    SSRF STEM SVG SWOT TCP TFTP TIFF TLD TLS TOC TOTP TPM TTL UAT UDP UGC UI UML UPS URI URL URN USB UTC UTF UUID UX VAT VC VIN VLAN VM
    VOIP VPN VPS VR WAF WAN WIFI WLAN WMI WWW XML XSD XSS XSLT YAML ZIP""".split()
)
