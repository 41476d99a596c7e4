"""English words that say little of what a text is about, for `stop_words="english"`.

Articles, pronouns, question words, prepositions, conjunctions, auxiliary verbs and a few adverbs, and what is left of
contractions once they are split at the apostrophe. No nouns and no full verbs, of which scikit-learn's list has some
("system", "bill", "found"; Nothman, Qin & Yurchak 2018, "Stop Word Lists in Free Open-source Software Packages").
"""

_WORDS = """
a an the
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one ones oneself
this that these those such same other others another each every either neither both all any some none no nobody
nothing anybody anyone anything everybody everyone everything somebody someone something
who whom whose which what when where why how whoever whomever whichever whatever whenever wherever however
of in on at by for with from to into onto upon about above below over under between among amongst through during
before after since until till against without within across along around behind beside besides beyond near off out
down up via per towards toward throughout
and or but nor so yet if than then because as while although though unless whether
am is are was were be been being do does did doing done have has had having will would shall should can could may
might must ought cannot
not only own very too also just more most much many few less least again further once here there now ever never
always often still already almost quite rather even
don didn doesn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn needn ain ll ve re
"""

ENGLISH = frozenset(_WORDS.split())
