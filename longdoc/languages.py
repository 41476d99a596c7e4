"""The language of a text, the forms by which words of any language are compared, and stop words.

A language is recognized by its stop words, and half as much by words with a letter that few other languages have. A
word in another script than that of its text's language is taken to be in the usual language of its script.

A word is compared by its stem (Snowball, https://snowballstem.org). Where a language has no stemmer, it is compared by
its n-grams of four letters, of two in Korean and three in Hebrew, whose words are shorter (McNamee and Mayfield 2004,
"Character N-Gram Tokenization for European Language Text Retrieval").

Stop words say little of what a text is about. English: articles, pronouns, question words, prepositions, conjunctions,
auxiliary verbs and a few adverbs, and what is left of contractions once they are split at the apostrophe. No nouns and
no full verbs, of which scikit-learn's list has some ("system", "bill", "found"; Nothman, Qin & Yurchak 2018, "Stop Word
Lists in Free Open-source Software Packages"). Of the other languages the most frequent words of these kinds; single
letters, which are no words, are left out.
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from longdoc.words import terms, unspaced

# The first form of each word, "" for none, and the further forms of some, by their numbers.
Forms = tuple[list[str], dict[int, tuple[str, ...]]]

ENGLISH = "english"
LEAST = 2  # different words needed to recognize a language; one alone, such as "die", is too little
SAMPLE = 20_000  # first characters of a text, by which its language is recognized
_USUAL = {
    "LATIN": ENGLISH, "CYRILLIC": "russian", "ARABIC": "arabic", "GREEK": "greek", "DEVANAGARI": "hindi",
    "TAMIL": "tamil", "ARMENIAN": "armenian", "HEBREW": "hebrew", "HANGUL": "korean",
}  # fmt: skip
_GRAM = {"korean": 2, "hebrew": 3, "vietnamese": 7}  # letters; a Vietnamese word is one syllable of up to seven
_USUAL_GRAM = 4
_KEPT = 50_000  # words whose stems a stemmer caches; neighbouring documents share most words
_stemmers = threading.local()  # a stemmer is not safe between threads
_PARTS = re.compile(r"\d+|\D+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHOUT_ACCENT = str.maketrans({"ı": "i", "ł": "l", "đ": "d", "ø": "o", "ħ": "h", "æ": "ae", "œ": "oe", "ß": "ss"})


def language_of(text: str) -> str:
    """The language of a text, by its beginning; English by default."""
    return language_of_words(Counter(word for word in terms(text[:SAMPLE]) if len(word) > 1))


def language_of_words(counts: Mapping[str, int], known: str = ENGLISH) -> str:
    """The language of a text with these counts of words; `known` unless another has twice its evidence."""
    evidence, word_counts = dict.fromkeys(STOP_WORDS, 0), dict.fromkeys(STOP_WORDS, 0)
    stop_words = languages_of_stop_words()
    for word in (word for word in counts if word in stop_words or not word.isascii()):
        for language, weight in told(word).items():
            evidence[language] += weight * counts[word]
            word_counts[language] += 1
    best = max(evidence, key=evidence.__getitem__)
    return best if word_counts[best] >= LEAST and evidence[best] >= 2 * evidence[known] else known


@lru_cache(maxsize=65536)
def told(word: str) -> dict[str, int]:
    """The languages for which a word is evidence, with its weight."""
    letters = {} if word.isascii() else {name: 1 for name, own in LETTERS.items() if not own.isdisjoint(word)}
    return letters | dict.fromkeys(languages_of_stop_words().get(word, ()), 2)


def stop_words(words: Sequence[str], language: str) -> set[int]:
    """The positions of the stop words among the words of a text in a language."""
    foreign, own_stop_words = _foreign(words, language), STOP_WORDS.get(language, frozenset())
    numbers = {number for number, word in enumerate(words) if word in own_stop_words and number not in foreign}
    return numbers | {
        number for number, foreign_language in foreign.items() if words[number] in STOP_WORDS.get(foreign_language, ())
    }


def stems(words: Sequence[str], language: str) -> Forms:
    """The forms by which the words of a text in a language are compared: stems or n-grams."""
    first, more = _stems(list(words), language)
    by_language: dict[str, list[int]] = {}
    for number, own in _foreign(words, language).items():
        by_language.setdefault(own, []).append(number)
    for own, numbers in by_language.items():
        own_first, own_more = _stems([words[number] for number in numbers], own)
        for place, number in enumerate(numbers):
            first[number] = own_first[place]
            more.pop(number, None)
            if place in own_more:
                more[number] = own_more[place]
    return first, more


def _foreign(words: Sequence[str], language: str) -> dict[int, str]:
    """The positions of words that are not in their text's language, with their own languages."""
    is_latin = own_language("a", language) == language
    languages = {
        number: own_language(word, language) for number, word in enumerate(words) if not (is_latin and word.isascii())
    }
    return {number: name for number, name in languages.items() if name != language}


def stemmed(words: list[str], language: str) -> list[str]:
    """The stems of words in a language that has a stemmer."""
    import Stemmer

    if language not in (language_stemmers := vars(_stemmers)):
        language_stemmers[language] = Stemmer.Stemmer(language, _KEPT)
    forms: list[str] = language_stemmers[language].stemWords(words)
    return forms


@cache
def stemmers() -> frozenset[str]:
    """The languages that have a stemmer."""
    import Stemmer

    return frozenset(Stemmer.algorithms())


def own_language(word: str, language: str) -> str:
    """The language of a word in a text of a language; "" for a number or a script without spaces."""
    if word.isascii():
        return language if "LATIN" in _scripts(language) else ENGLISH
    script = _script(word)
    return language if script in _scripts(language) else _USUAL.get(script, script)


def without_accents(word: str) -> str:
    """A word of the Latin, Greek or Cyrillic alphabet without accents; any other word as it is."""
    if word.isascii() or _script(word) not in ("LATIN", "GREEK", "CYRILLIC"):
        return word
    return _ACCENTS.sub("", unicodedata.normalize("NFD", word)).translate(_WITHOUT_ACCENT)


def _stems(words: list[str], language: str) -> Forms:
    """The stems or n-grams of words of one language."""
    if language in stemmers():
        return stemmed(words, language), {}
    if not language:
        return words, {}
    size = _GRAM.get(language, _USUAL_GRAM)
    grams = [[gram for part in _PARTS.findall(word) for gram in _grams(part, size)] for word in words]
    return [word_grams[0] for word_grams in grams], {
        n: tuple(word_grams[1:]) for n, word_grams in enumerate(grams) if len(word_grams) > 1
    }


def _grams(part: str, size: int) -> list[str]:
    """The n-grams of a part of a word; a number is whole."""
    if part.isdecimal() or len(part) <= size:
        return [part]
    return [part[start : start + size] for start in range(len(part) - size + 1)]


@lru_cache(maxsize=65536)
def _script(word: str) -> str:
    """The script of a word's last letter, as Unicode names it; "" for scripts without spaces between words."""
    letter = next(filter(str.isalpha, reversed(word)), "")
    return unicodedata.name(letter, "").partition(" ")[0] if letter and not unspaced(letter) else ""


@cache
def _scripts(language: str) -> frozenset[str]:
    """The scripts that a language is written in."""
    return frozenset(map(_script, STOP_WORDS.get(language, ())))


@cache
def languages_of_stop_words() -> dict[str, list[str]]:
    """The languages of each stop word."""
    languages: dict[str, list[str]] = {}
    for language, words in STOP_WORDS.items():
        for word in words:
            languages.setdefault(word, []).append(language)
    return languages


_ENGLISH = """
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
am is are was were be been being do does did doing done has have had having will would shall should can could may
might must ought cannot
not only own very too also just more most much many few less least again further once here there now ever never
always often still already almost quite rather even
don didn doesn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn needn ain ll ve re
"""

# The letters and the stop words of each language. Of equally likely languages the first is taken.
_OTHERS = {
    "german": ("äöüß", """
        der die das den dem des ein eine einen einem einer eines und ist sind war waren wird werden wurde wurden
        im in am an auf aus bei mit nach von vom zu zum zur für über unter vor durch um ohne gegen nicht auch als
        wie wer was wann wo warum wieso wohin woher welche welcher welches welchen wem wen wessen es er sie wir
        ihr ich sein seine ihre hat haben hatte kann können soll muss dass wenn aber oder sich nur noch so viel
        viele dieser diese dieses bis"""),
    "arabic": ("", """
        من في على إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم أن إن كان كانت يكون قد لقد كل بين بعد قبل عند
        لا ما لم لن أو ثم حتى إذا كما متى أين كيف لماذا ماذا هل كم أي غير بعض منذ خلال وهو وهي وفي ومن وقد"""),
    "bulgarian": ("ъ", """
        на за от да се не по са със при или към като това този тази тези той тя те как какво кой коя кои кога къде
        защо колко че но ще има беше бяха след преди през във"""),
    "catalan": ("·", """
        el la els les un una uns unes de del dels al als en amb per que és són ser està estan va han hi ha no més
        com quan on qui què quin quina quins quines aquest aquesta aquests però si seu seva seus des fins entre
        sobre perquè"""),
    "czech": ("ěřůťď", """
        na je se že do to ve za od pro při po jsou byl byla bylo byli být jako ale tak který která které kteří
        jeho jejich její jak kde kdy kdo co proč kolik jaký jaká jaké ze ke než nebo také už jen podle mezi má
        mají není tento tato"""),
    "danish": ("æøå", """
        og det den de en et er var at af på til for med som om der har havde ikke han hun vi jeg du men fra ved
        kan skal vil blev bliver hvad hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke efter under over
        sin sit sine også eller denne dette disse"""),
    "dutch": ("", """
        de het een en van in op te dat die is was zijn wordt worden werd met voor niet aan er om ook als dan maar
        bij uit door naar over hij zij ze we wij ik je hun haar heeft hebben had kan zal moet wie wat waar wanneer
        waarom hoe welk welke deze dit of tot na onder tussen hoeveel"""),
    "estonian": ("õäöü", """
        on ja ei see ta et oli olid mis kes kus millal miks kuidas kui ka aga või oma tema nende nad need selle
        seda mida kelle ning kuid pärast enne peale juurde üle alla ole olema palju"""),
    "finnish": ("äö", """
        on ja ei se että oli ovat olivat joka jotka mikä mitä kuka milloin missä miksi miten kuinka kun mutta tai
        myös kuin niin hän he ne sen hänen heidän tämä tämän nämä jos vain ennen jälkeen kanssa sekä olla ole
        paljonko kenen minkä"""),
    "french": ("çœêèàùîûâ", """
        le la les un une des du de au aux et est sont été était étaient être en dans par pour sur avec sans que
        qui quoi quel quelle quels quelles quand où comment pourquoi combien ce cet cette ces il elle ils elles on
        nous vous je tu se sa son ses leur leurs ne pas plus ou mais si comme ont avait fait entre chez sous après
        avant jusqu lui"""),
    "greek": ("", """
        το τα τον την της του των οι ένα μια ένας και να θα δεν που με σε για από στο στη στην στον στα είναι ήταν
        έχει έχουν αυτό αυτή αυτός τι ποιος ποια ποιο ποιοι πότε πού γιατί πώς πόσο πόσα όταν αλλά μετά πριν κατά
        προς μας τους"""),
    "hebrew": ("", """
        של את על לא הוא היא הם הן זה זו זאת אני אנחנו עם אל מן כל כי אם או גם אבל רק מה מי מתי איפה היכן למה מדוע
        איך כמה איזה איזו אשר היה היתה הייתה היו יש אין לפני אחרי בין עד"""),
    "hindi": ("", """
        के का की है हैं में से को पर ने और यह वह था थे थी हो एक इस उस कि भी नहीं तो ही कर किया लिए साथ बाद पहले तक
        क्या कौन कब कहाँ क्यों कैसे कितना कितने कितनी किस किसने जो अपने गया रहा होता होती होते"""),
    "hungarian": ("őűöüó", """
        az egy és hogy nem is volt voltak van vannak meg ez azt ezt mint de ha csak már még ki mi mit mikor hol
        miért hogyan hány mennyi melyik milyen aki ami amely után előtt alatt között minden lesz fel el vagy kell
        kinek"""),
    "indonesian": ("", """
        yang dan di ke dari untuk dengan pada adalah ini itu tidak akan dalam oleh sebagai juga atau karena telah
        sudah dapat bisa ada mereka dia ia kami kita saya apa siapa kapan dimana mana mengapa kenapa bagaimana
        berapa setelah sebelum antara setiap para"""),
    "italian": ("àèìòù", """
        il lo la gli le un una uno di del dello della dei degli delle al alla ai alle dal dalla da in nel nella
        nei nelle con su sul sulla per tra fra che chi cosa quale quali quando dove come perché quanto quanti
        quanta quante non più si sono era erano essere stato ha hanno aveva ma se anche suo sua suoi loro questo
        questa questi ed ci"""),
    "lithuanian": ("ėįųūąę", """
        ir yra kad su iš už bet tai kaip kas kur kada kodėl kiek kuris kuri kurie buvo jo jos jų nuo iki po prie
        ar ne taip pat per dėl tik šis ši savo bus"""),
    "norwegian": ("æøå", """
        og det den de en et ei er var av på til for med som om der har hadde ikke han hun vi jeg du men fra ved
        kan skal vil ble blir hva hvem hvor når hvorfor hvordan hvilken hvilket hvilke etter under over sin sitt
        sine også eller denne dette disse mye mange"""),
    "persian": ("پچژگی", """
        در به از که این را با است برای آن یک تا می بر خود شد هم بود ها های نیز اما یا هر چه کی کجا چرا چگونه چند
        کدام چیست کیست کند شده باید پس پیش"""),
    "polish": ("ąęłśżźćń", """
        na się nie to jest że do od za po przez dla przy są był była było być jak ale tak który która które którzy
        jego jej ich co kto kiedy gdzie dlaczego ile jaki jaka jakie czy oraz lub też już tylko pod nad między ma
        mają ten ta tego tej tym"""),
    "portuguese": ("ãõç", """
        os as um uma uns umas de do da dos das em no na nos nas ao aos por pelo pela para com sem que quem qual
        quais quando onde como porque quanto quanta quantos quantas não mais se são foi foram era eram ser está
        estão tem têm mas ou também seu sua seus suas este esta isso ele ela eles elas até entre sobre já"""),
    "romanian": ("ăâîșțşţ", """
        și şi în la de din cu pe pentru că să nu este sunt era erau fost au un una unei unui care ce cine când
        unde cum cât câte câți cărui mai sau dar dacă după până lui ei lor prin între acest această aceste al ale
        ai"""),
    "russian": ("ыэё", """
        на не что он она они оно это как по но из за от для так же то бы был была было были быть или при до со во
        ко об кто где когда куда почему зачем сколько какой какая какое какие который которая которые чей чем если
        его её ее их мы вы ты после перед под над между уже ещё еще только этот эта эти"""),
    "serbian": ("ђћџљњјšđćčž", """
        je su se na da od za sa iz do po kod pri bio bila bilo bili biti će nije koji koja koje kako gde gdje kada
        kad zašto ko tko šta što koliko čiji ali ili kao njegov njihov ovaj ova ovo taj samo posle nakon pre prije
        između је су се на да од за са из до по код при био била било били бити ће није који која које како где
        када зашто ко шта што колико али или као његов њихов овај ова ово тај само после пре између"""),
    "slovak": ("ľĺŕťď", """
        na je sa že do to vo za od pre pri po sú bol bola bolo boli byť ako ale tak ktorý ktorá ktoré ktorí jeho
        ich jej kde kedy kto čo prečo koľko aký aká aké zo ku než alebo aj už len podľa medzi má majú nie tento
        táto"""),
    "spanish": ("ñ¿¡", """
        el la los las un una unos unas de del al en con por para sin sobre que quien quién quiénes qué cuál cuáles
        cuándo dónde cómo cuánto cuánta cuántos cuántas cuando donde como porque no más se es son fue fueron era
        eran ser está están ha han había pero si también su sus este esta esto ese esa lo le les ya hasta entre
        desde"""),
    "swedish": ("åäö", """
        och det den de en ett är var att av på till för med som om har hade inte han hon vi jag du men från vid
        kan ska skall vill blev blir vad vem vilka vilken vilket när varför hur efter under över sin sitt sina
        också eller denna detta dessa mycket många"""),
    "turkish": ("ışğçöü", """
        ve bir bu da de için ile ne kim kimin nerede nereye neden niçin nasıl kaç hangi kadar çok daha en olan
        olarak var yok mi mı mu mü ama veya ya ki gibi sonra önce her değil ise göre onun şu"""),
    "ukrainian": ("іїєґ", """
        на не що він вона вони це як по але із за від для так же то був була було були бути або при до та його її
        їх хто де коли куди чому скільки який яка яке які чий якщо після перед під над між вже ще тільки цей ця ці"""),
    "vietnamese": ("ơưđăạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ", """
        là và của có được cho trong không các một những với này đó để khi từ đến ra vào người cũng đã sẽ bị bởi
        tại theo như nhưng hay hoặc ai gì nào đâu bao giờ sao mấy nhiêu thì mà rất"""),
}  # fmt: skip

ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
STOP_WORDS = {
    "english": ENGLISH_STOP_WORDS,
    **{language: frozenset(words.split()) for language, (_, words) in _OTHERS.items()},
}
LETTERS = {language: frozenset(letters) for language, (letters, _) in _OTHERS.items()}
