"""Words an editor swaps without changing what is said: links between clauses, stiff and plain verbs, words of manner."""

from beacon.analyst.tokens import stem

# Counted as they are stemmed. A judgement on the vocabulary of plain-language guides, not on any set of documents.
_WORDS = """
accordance according accordingly pursuant provisions provision hereby herein thereof therein thereto whereof aforementioned
aforesaid said mutatis mutandis respective respectively regard regarding regards respect concerning relating related relation
reference refer refers referred order purpose purposes basis means manner way ways fashion case cases event instance circumstances
situation mainly chiefly primarily largely mostly principally generally usually typically normally customary customarily usual
commonly ordinarily furthermore moreover additionally addition besides likewise similarly however nevertheless nonetheless
therefore thus hence consequently also too again still already currently presently now then thereafter subsequently subsequent
prior previously before after following upon commence commences begin begins begun start starts conclude finish cease utilize
utilise use uses used using employ make makes made making give gives given provide provides provided providing offer ensure
ensures assure guarantee see sees seen look looks view show shows shown indicate indicates demonstrate describe describes
described contact contacting write writing reach ask asking inquire call request requests help assist assistance handle handles
handling deal deals work works working process perform performs carry carries carried conduct undertake keep keeps kept hold held
retain retained maintain maintained store stored remain remains stay stays receive receives received obtain obtains get gets got
acquire gain place placed put set site location able possible possibly necessary need needs needed want wish desire desirable well
good clear clearly simply merely just even quite very rather fully duly properly appropriately appropriate suitable relevant
applicable available accessible certain particular specific various several number amount range kind type sort part parts apply
applies applied cover covers concern concerns constitute constitutes comprise comprises consist consists contain contains include
includes section sections chapter article clause paragraph page pages document text wording words word term terms people person
persons individual individuals everybody someone please kindly note notes noted aware permit enable let allows inform informs
informed notify tell tells advise communicate state stated states express expressed mention mentioned
""".split()
STYLE = frozenset(stem(word) for word in _WORDS)
