"""Splits that would change the meaning, or leave a sentence that does not stand alone, are made only on request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from systems.hindi.simplify.cases import parse_sentence

from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.simplify import Simplified, simplify


def simplified(tagged: str, clauses: str, *, every_clause: bool = False) -> Simplified:
    return simplify(parse_sentence(tagged), parse_bracketed(clauses)[1], every_clause=every_clause)


WENT = "सीता/NNP | बड़े/JJ घर/NN में/PSP | गई/VM"

SPLIT = {
    "therefore, with a shared subject": (
        "वह/PRP>3:k1 | बीमार/JJ>3:k1s | था/VM | इसलिए/PRP>6:rh | दफ़्तर/NN>6:k2p | नहीं/NEG गया/VM",
        "(coord वह बीमार था ) (coord इसलिए दफ़्तर नहीं गया )",
        "वह बीमार था | इसलिए वह दफ़्तर नहीं गया",
    ),
    "what something is": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | यह/DEM दवा/NN | सुरक्षित/JJ | है/VM",
        "(coord राम घर में आया ) और (coord यह दवा सुरक्षित है )",
        "राम घर में आया | यह दवा सुरक्षित है",
    ),
    "what is somewhere": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | नगर/NN में/PSP | बाज़ार/NN | था/VM",
        "(main राम ने कहा (comp कि नगर में बाज़ार था ) )",
        "राम ने यह कहा | नगर में बाज़ार था",
    ),
    "several things in the form of one": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | राज्य/NN में/PSP | पाँच/QC कॉलेज/NN[gender=m,number=sg] | "
        "खोले/VM[root=खोल,tam=yA] जाएँगे/VAUX",
        "(coord राम घर में आया ) और (coord राज्य में पाँच कॉलेज खोले जाएँगे )",
        "राम घर में आया | राज्य में पाँच कॉलेज खोले जाएँगे",
    ),
    "therefore, without a mark": (
        "राम/NNP | घर/NN में/PSP | सोया/VM | इसलिए/PRP | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में सोया ) (coord इसलिए सीता बाहर गई )",
        "राम घर में सोया | इसलिए सीता बाहर गई",
    ),
    "said clearly": (
        f"राम/NNP ने/PSP | साफ/JJ | कहा/VM | कि/CC | {WENT}",
        "(main राम ने साफ कहा (comp कि सीता बड़े घर में गई ) )",
        "राम ने यह साफ कहा | सीता बड़े घर में गई",
    ),
    "a relative clause of a clause with an elided verb": (
        "बीच/NST में/PSP | गुंबद/NN | NULL/VM | जिसके/PRP पीछे/NST | दुकानें/NN | हैं/VM | और/CC | "
        "दूर/NST | नदी/NN | बहती/VM है/VAUX",
        "(coord बीच में गुंबद NULL (rel जिसके पीछे दुकानें हैं ) ) और (coord दूर नदी बहती है )",
        "बीच में गुंबद जिसके पीछे दुकानें हैं | दूर नदी बहती है",
    ),
    "elided verbs": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | परिणाम/NN | भूल/NN | नहीं/NEG | NULL/VM | बल्कि/CC | सबक/NN | हैं/VM",
        "(main राम ने कहा (comp कि (coord परिणाम भूल नहीं NULL ) बल्कि (coord सबक हैं ) ) )",
        "राम ने यह कहा | परिणाम भूल नहीं बल्कि सबक हैं",
    ),
    "said": (
        f"राम/NNP ने/PSP | कहा/VM | कि/CC | {WENT}",
        "(main राम ने कहा (comp कि सीता बड़े घर में गई ) )",
        "राम ने यह कहा | सीता बड़े घर में गई",
    ),
    "claimed": (
        f"राम/NNP ने/PSP | दावा/NN | किया/VM | कि/CC | {WENT}",
        "(main राम ने दावा किया (comp कि सीता बड़े घर में गई ) )",
        "राम ने यह दावा किया | सीता बड़े घर में गई",
    ),
    "report": (
        f"बयान/NN में/PSP | कहा/VM गया/VAUX है/VAUX | कि/CC | {WENT}",
        "(main बयान में कहा गया है (comp कि सीता बड़े घर में गई ) )",
        "बयान में यह कहा गया है | सीता बड़े घर में गई",
    ),
    "relative": (
        "नगर/NN में/PSP | एक/QC बाज़ार/NN | है/VM | ,/SYM | जो/PRP | बहुत/INTF पुराना/JJ | है/VM",
        "(main नगर में एक बाज़ार है , (rel जो बहुत पुराना है ) )",
        "नगर में एक बाज़ार है | वह बहुत पुराना है",
    ),
    "relative with another spelling": (
        "नगर/NN में/PSP | एक/QC बाज़ार/NN | है/VM | ,/SYM | जिसमे/PRP | सौ/QC दुकानें/NN | हैं/VM",
        "(main नगर में एक बाज़ार है , (rel जिसमे सौ दुकानें हैं ) )",
        "नगर में एक बाज़ार है | उसमें सौ दुकानें हैं",
    ),
    "shared subject": (
        "राम/NNP ने/PSP | किताब/NN | पढ़ी/VM | और/CC | चिट्ठी/NN | लिखी/VM",
        "(coord राम ने किताब पढ़ी ) और (coord चिट्ठी लिखी )",
        "राम ने किताब पढ़ी | राम ने चिट्ठी लिखी",
    ),
    "participle": (
        "राम/NNP ने/PSP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin खाना खाकर ) बड़ी किताब पढ़ी )",
        "राम ने खाना खाया | राम ने बड़ी किताब पढ़ी",
    ),
    "as much as": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | जितना/QF | मैंने/PRP | देखा/VM | ,/SYM | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया ) और (coord जितना मैंने देखा ) , (coord सीता बाहर गई )",
        "राम घर में आया | जितना मैंने देखा , सीता बाहर गई",
    ),
    "what to see him is": (
        "राम/NNP | मित्र/NN | है/VM | ,/SYM | इसलिए/PRP | उसे/PRP | देखना/VM:VGNN | बहुत/INTF अच्छा/JJ | है/VM",
        "(coord राम मित्र है ) , (coord इसलिए उसे देखना बहुत अच्छा है )",
        "राम मित्र है | इसलिए उसे देखना बहुत अच्छा है",
    ),
    "however": (
        "हालांकि/CC | ,/SYM | राम/NNP | घर/NN में/PSP | आया/VM | और/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(main हालांकि , (coord राम घर में आया ) और (coord सीता बाहर गई ) )",
        "हालांकि राम घर में आया | सीता बाहर गई",
    ),
    "a clause with a subject, whose last verb has none": (
        "कलाकार/NN>3:k1 | गीत/NN>3:k2 | गाते/VM हैं/VAUX | ;/SYM>3:rsym | लोग/NN>7:k1 | वे/PRP>7:k1s | होते/VM हैं/VAUX | "
        "जब/PRP>9:k7t | आते/VM हैं/VAUX>7:vmod",
        "(coord कलाकार गीत गाते हैं ) ; (coord लोग वे होते हैं (adv जब आते हैं ) )",
        "कलाकार गीत गाते हैं | लोग वे होते हैं जब आते हैं",
    ),
    "although, with and": (
        "हालांकि/CC | राम/NNP | घर/NN में/PSP | आया/VM | और/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(main हालांकि (coord राम घर में आया ) और (coord सीता बाहर गई ) )",
        "हालांकि राम घर में आया | सीता बाहर गई",
    ),
    "said, with a word for it": (
        f"यह/PRP | राम/NNP ने/PSP | कहा/VM | कि/CC | {WENT}",
        "(main यह राम ने कहा (comp कि सीता बड़े घर में गई ) )",
        "यह राम ने कहा | सीता बड़े घर में गई",
    ),
    "a feminine participle, whose auxiliary has the number": (
        "यह/PRP | छोटी/JJ लड़की/NN[gender=f,number=sg] | है/VM | ,/SYM | जो/PRP | घर/NN में/PSP | "
        "जाती/VM[root=जा,tam=wA,gender=f,number=pl] है/VAUX[number=sg]",
        "(main यह छोटी लड़की है , (rel जो घर में जाती है ) )",
        "यह छोटी लड़की है | वह घर में जाती है",
    ),
    "said, without a conjunction": (
        f"राम/NNP का/PSP | कहना/NN | था/VM | ,/SYM | {WENT}",
        "(coord राम का कहना था ) , (coord सीता बड़े घर में गई )",
        "राम का यह कहना था | सीता बड़े घर में गई",
    ),
    "an accusation against somebody": (
        f"बल/NN के/PSP | उपर/DEM आरोप/NN | है/VM | कि/CC | {WENT}",
        "(main बल के उपर आरोप है (comp कि सीता बड़े घर में गई ) )",
        "बल के उपर यह आरोप है | सीता बड़े घर में गई",
    ),
    "says": (
        f"राम/NNP | कहते/VM हैं/VAUX | कि/CC | {WENT}",
        "(main राम कहते हैं (comp कि सीता बड़े घर में गई ) )",
        "राम यह कहते हैं | सीता बड़े घर में गई",
    ),
    "what several things are": (
        "राम/NNP ने/PSP | बताया/VM | कि/CC | ये/PRP | नाटक/NN[number=sg] | हैं/VM[number=pl]",
        "(main राम ने बताया (comp कि ये नाटक हैं ) )",
        "राम ने यह बताया | ये नाटक हैं",
    ),
    "what something is called": (
        "मानसून/NN[gender=m] | हवा/NN[gender=f] को/PSP | कहते/VM हैं/VAUX | ,/SYM | जो/PRP | यहां/PRP | "
        "रहती/VM[gender=f] है/VAUX",
        "(main मानसून हवा को कहते हैं , (rel जो यहां रहती है ) )",
        "मानसून हवा को कहते हैं | वह यहां रहती है",
    ),
    "said a little": (
        f"राम/NNP | कल/NN | जरा/QF सा/RP | बोला/VM | ,/SYM | {WENT}",
        "(coord राम कल जरा सा बोला ) , (coord सीता बड़े घर में गई )",
        "राम कल जरा सा बोला | सीता बड़े घर में गई",
    ),
    "speaks and goes": (
        "सचिव/NN | आज/NN | फौरन/RB | बोला/VM | और/CC | फौरन/RB | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(coord सचिव आज फौरन बोला ) और (coord फौरन सीता घर में गई )",
        "सचिव आज फौरन बोला | फौरन सीता घर में गई",
    ),
    "said, with an object": (
        f"राम/NNP ने/PSP | बात/NN | कही/VM | ,/SYM | {WENT}",
        "(coord राम ने बात कही ) , (coord सीता बड़े घर में गई )",
        "राम ने बात कही | सीता बड़े घर में गई",
    ),
    "an equation with a relative clause": (
        "यह/PRP | मेरी/PRP किताब/NN[gender=f,number=sg] | है/VM | ,/SYM | जिसे/PRP | राम/NNP ने/PSP | खरीदा/VM",
        "(main यह मेरी किताब है , (rel जिसे राम ने खरीदा ) )",
        "यह मेरी किताब है | उसे राम ने खरीदा",
    ),
    "what had to be done": (
        "इक्का/NN | घर/NN में/PSP | मिलता/VM था/VAUX | और/CC | उसे/PRP | तय/JJ | करना/VM पड़ता/VAUX था/VAUX",
        "(coord इक्का घर में मिलता था ) और (coord उसे तय करना पड़ता था )",
        "इक्का घर में मिलता था | उसे तय करना पड़ता था",
    ),
    "after which": (
        "राम/NNP ने/PSP | मोहन/NNP को/PSP | किताब/NN | दी/VM | ,/SYM | जिसके/PRP बाद/NST | सीता/NNP | घर/NN | गई/VM",
        "(main राम ने मोहन को किताब दी , (rel जिसके बाद सीता घर गई ) )",
        "राम ने मोहन को किताब दी | उसके बाद सीता घर गई",
    ),
    "several things, with a verb that could take ne": (
        "नगर/NN में/PSP | दुकानें/NN | हैं/VM | ,/SYM | जो/PRP | नए/JJ रंग/NN | की/VM[root=कर,tam=yA,gender=f] हैं/VAUX",
        "(main नगर में दुकानें हैं , (rel जो नए रंग की हैं ) )",
        "नगर में दुकानें हैं | वे नए रंग की हैं",
    ),
}


@pytest.mark.parametrize(("tagged", "clauses", "expected"), SPLIT.values(), ids=SPLIT)
def test_statements_that_stand_alone_are_split(tagged: str, clauses: str, expected: str):
    assert str(simplified(tagged, clauses)) == expected


KI = "कि/CC | " + WENT
COMPLEMENT = "(comp कि सीता बड़े घर में गई )"
KEPT = {
    "what is somewhere, or what somebody is there": (
        "राम/NNP | घर/NN में/PSP | सोया/VM | और/CC | नगर/NN में/PSP | मंत्री/NN[gender=m,number=sg] | है/VM",
        "(coord राम घर में सोया ) और (coord नगर में मंत्री है )",
        "no subject",
    ),
    "somebody in the plural": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | राज्य/NN में/PSP | एक/QC मंत्री/NN[gender=m,number=sg] | "
        "बनाए/VM[root=बना,tam=yA] जाएँगे/VAUX",
        "(coord राम घर में आया ) और (coord राज्य में एक मंत्री बनाए जाएँगे )",
        "no subject",
    ),
    "although, before an adverbial clause": (
        "हालाँकि/CC | वह/PRP | बहुत/INTF गरीब/JJ | है/VM | ,/SYM | फिर/CC भी/RP | वह/PRP | घर/NN में/PSP | आया/VM",
        "(main हालाँकि वह बहुत गरीब है , (adv फिर भी वह घर में आया ) )",
        "is subordinate",
    ),
    "doubt": (f"राम/NNP को/PSP | शक/NN | हुआ/VM | {KI}", f"(main राम को शक हुआ {COMPLEMENT} )", "no verb of saying"),
    "necessity": (f"यह/PRP | ज़रूरी/JJ | है/VM | {KI}", f"(main यह ज़रूरी है {COMPLEMENT} )", "no verb of saying"),
    "belief": (
        f"राम/NNP का/PSP | मानना/NN | है/VM | {KI}",
        f"(main राम का मानना है {COMPLEMENT} )",
        "no verb of saying",
    ),
    "negated": (
        f"राम/NNP ने/PSP | नहीं/NEG कहा/VM | {KI}",
        f"(main राम ने नहीं कहा {COMPLEMENT} )",
        "no verb of saying",
    ),
    "modal": (
        f"राम/NNP | कह/VM सकता/VAUX है/VAUX | {KI}",
        f"(main राम कह सकता है {COMPLEMENT} )",
        "no verb of saying",
    ),
    "future": (f"राम/NNP | आज/NN | कहेगा/VM | {KI}", f"(main राम आज कहेगा {COMPLEMENT} )", "no verb of saying"),
    "passive": (f"आज/NST | कहा/VM गया/VAUX | {KI}", f"(main आज कहा गया {COMPLEMENT} )", "nobody says it"),
    "order": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | सीता/NNP | बड़े/JJ घर/NN में/PSP | जाए/VM",
        "(main राम ने कहा (comp कि सीता बड़े घर में जाए ) )",
        "no statement",
    ),
    "command": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | तुम/PRP | बड़े/JJ घर/NN में/PSP | जाओ/VM",
        "(main राम ने कहा (comp कि तुम बड़े घर में जाओ ) )",
        "no statement",
    ),
    "order and another": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | सीता/NNP | घर/NN | जाए/VM | और/CC | मोहन/NNP | घर/NN में/PSP | जाए/VM",
        "(main राम ने कहा (comp कि (coord सीता घर जाए ) और (coord मोहन घर में जाए ) ) )",
        "no statement",
    ),
    "question": (
        "राम/NNP ने/PSP | कहा/VM | कि/CC | कौन/WQ | बड़े/JJ घर/NN में/PSP | गया/VM",
        "(main राम ने कहा (comp कि कौन बड़े घर में गया ) )",
        "a question",
    ),
    "nobody says": (f"बाद/NST में/PSP | कहा/VM | {KI}", f"(main बाद में कहा {COMPLEMENT} )", "nobody says it"),
    "so much that": (
        f"राम/NNP ने/PSP | इतना/QF | कहा/VM | {KI}",
        f"(main राम ने इतना कहा {COMPLEMENT} )",
        "a correlative word",
    ),
    "which one": (
        "ऐसी/JJ दुकान/NN | नगर/NN में/PSP | है/VM | ,/SYM | जो/PRP | बहुत/INTF पुरानी/JJ | है/VM",
        "(main ऐसी दुकान नगर में है , (rel जो बहुत पुरानी है ) )",
        "which one",
    ),
    "the one who": (
        "वह/DEM लड़का/NN | घर/NN | गया/VM | ,/SYM | जो/PRP | बहुत/INTF छोटा/JJ | है/VM",
        "(main वह लड़का घर गया , (rel जो बहुत छोटा है ) )",
        "which one",
    ),
    "none that": (
        "नगर/NN में/PSP | दुकान/NN | नहीं/NEG है/VM | ,/SYM | जो/PRP | बहुत/INTF पुरानी/JJ | है/VM",
        "(main नगर में दुकान नहीं है , (rel जो बहुत पुरानी है ) )",
        "negation",
    ),
    "taken up": (
        "जिस/DEM लड़के/NN ने/PSP | किताब/NN | पढ़ी/VM | वह/PRP | घर/NN | गया/VM",
        "(main (rel जिस लड़के ने किताब पढ़ी ) वह घर गया )",
        "with its noun",
    ),
    "when, in the middle": (
        "राम/NNP ने/PSP | जब/PRP | किताब/NN | पढ़ी/VM | तो/CC | सीता/NNP | घर/NN | गई/VM",
        "(coord राम ने जब किताब पढ़ी ) तो (coord सीता घर गई )",
        "condition",
    ),
    "then": (
        "राम/NNP | घर/NN में/PSP | आया/VM | तो/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया ) तो (coord सीता बाहर गई )",
        "needs both",
    ),
    "no mark": (
        "राम/NNP | घर/NN में/PSP | आया/VM | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया ) (coord सीता बाहर गई )",
        "no conjunction",
    ),
    "no subject": (
        "बारिश/NN | शाम/NN में/PSP | हुई/VM | और/CC | घर/NN में/PSP | गया/VM",
        "(coord बारिश शाम में हुई ) और (coord घर में गया )",
        "no subject",
    ),
    "a possessor as subject": (
        "राम/NNP को/PSP | जाना/VM चाहिए/VAUX | और/CC | अपनी/PRP | सलाह/NN | देनी/VM चाहिए/VAUX",
        "(coord राम को जाना चाहिए ) और (coord अपनी सलाह देनी चाहिए )",
        "no subject",
    ),
    "object of a gerund as subject": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | किताब/NN | ढूंढने/VM में/PSP:VGNN | गया/VM",
        "(coord राम घर में आया ) और (coord किताब ढूंढने में गया )",
        "no subject",
    ),
    "agreement": (
        "लोगों/NN[gender=m,number=pl] ने/PSP | खाना/NN | खाया/VM | और/CC | घर/NN में/PSP | गया/VM",
        "(coord लोगों ने खाना खाया ) और (coord घर में गया )",
        "does not agree",
    ),
    "honour": (
        "राम/NNP ने/PSP | घर/NN में/PSP | जाकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin घर में जाकर ) बड़ी किताब पढ़ी )",
        "gender and honour",
    ),
    "arguments elsewhere": (
        "राम/NNP ने/PSP | सीता/NNP को/PSP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | किताब/NN | दी/VM",
        "(main राम ने सीता को (nonfin खाना खाकर ) किताब दी )",
        "may be elsewhere",
    ),
    "number": (
        "राम/NNP ने/PSP | कई/QF उदाहरण/NN[gender=m,number=sg] | देकर/VM:VGNF | बड़ी/JJ किताब/NN | लिखी/VM",
        "(main राम ने (nonfin कई उदाहरण देकर ) बड़ी किताब लिखी )",
        "gender or number",
    ),
    "list": (
        "मोहन/NNP | ,/SYM | राम/NNP ने/PSP | किताब/NN | पढ़ी/VM | और/CC | चिट्ठी/NN | लिखी/VM",
        "(coord मोहन , राम ने किताब पढ़ी ) और (coord चिट्ठी लिखी )",
        "part of a list",
    ),
    "dash": (
        "राम/NNP | घर/NN में/PSP | आया/VM | -/SYM | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया ) - (coord सीता बाहर गई )",
        "no conjunction or mark",
    ),
    "postposition taken for a conjunction": (
        "राम/NNP | घर/NN में/PSP | आया/VM | शाम/NN | पर/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया शाम ) पर (coord सीता बाहर गई )",
        "no verb at the end",
    ),
    "no object": (
        "राम/NNP ने/PSP | सीता/NNP को/PSP | भेजकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin सीता को भेजकर ) बड़ी किताब पढ़ी )",
        "no object",
    ),
    "although": (
        "यद्यपि/CC | राम/NNP | घर/NN में/PSP | आया/VM | परन्तु/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(coord यद्यपि राम घर में आया ) परन्तु (coord सीता बाहर गई )",
        "needs both",
    ),
    "a relative pronoun in a coordinate clause": (
        "राम/NNP ने/PSP | जिस/DEM तरह/NN | किताब/NN | पढ़ी/VM | और/CC | वह/PRP | बहुत/INTF अच्छा/JJ | था/VM",
        "(coord राम ने जिस तरह किताब पढ़ी ) और (coord वह बहुत अच्छा था )",
        "a relative pronoun",
    ),
    "said before": (
        f"{WENT} | ,/SYM | राम/NNP ने/PSP | कहा/VM",
        "(main (comp सीता बड़े घर में गई ) , राम ने कहा )",
        "stands first",
    ),
    "where, in the middle": (
        "नगर/NN में/PSP | एक/QC बाज़ार/NN | है/VM | ,/SYM | सब/PRP | जहां/PRP | जाते/VM हैं/VAUX",
        "(main नगर में एक बाज़ार है , (rel सब जहां जाते हैं ) )",
        "no pronoun",
    ),
    "relative clause first": (
        "जो/PRP | बहुत/INTF छोटा/JJ | है/VM | राम/NNP | घर/NN में/PSP | गया/VM",
        "(main (rel जो बहुत छोटा है ) राम घर में गया )",
        "before what it describes",
    ),
    "those who": (
        "लड़के/NN | जो/PRP | बहुत/INTF छोटे/JJ | हैं/VM | घर/NN में/PSP | गए/VM",
        "(main लड़के (rel जो बहुत छोटे हैं ) घर में गए )",
        "which one",
    ),
    "taken up by a pronoun": (
        "राम/NNP | ,/SYM | जो/PRP | बहुत/INTF छोटा/JJ | है/VM | ,/SYM | वह/PRP | घर/NN में/PSP | गया/VM",
        "(main राम , (rel जो बहुत छोटा है ) , वह घर में गया )",
        "taken up again",
    ),
    "while, at the start": (
        "जबकि/CC | सीता/NNP | बाहर/NST | गई/VM | राम/NNP | घर/NN में/PSP | आया/VM",
        "(main (adv जबकि सीता बाहर गई ) राम घर में आया )",
        "before its main clause",
    ),
    "neither nor": (
        "न/CC | राम/NNP | घर/NN में/PSP | आया/VM | ,/SYM | न/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(coord न राम घर में आया ) , न (coord सीता बाहर गई )",
        "one of a pair",
    ),
    "subject behind the verb": (
        "राम/NNP ने/PSP | किताब/NN | पढ़ी/VM | और/CC | चिट्ठी/NN | लिखी/VM | सीता/NNP ने/PSP",
        "(coord राम ने किताब पढ़ी ) और (coord चिट्ठी लिखी सीता ने )",
        "of its own",
    ),
    "name in two phrases": (
        "राम/NNP | दामोदर/NNP | घर/NN में/PSP | आया/VM | और/CC | बाहर/NST | गया/VM",
        "(coord राम दामोदर घर में आया ) और (coord बाहर गया )",
        "part of a name",
    ),
    "number as subject": (
        "दो/QC | घर/NN में/PSP | गए/VM | और/CC | बाहर/NST | गए/VM",
        "(coord दो घर में गए ) और (coord बाहर गए )",
        "has no noun",
    ),
    "causative": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | उसमें/PRP[case=o,vibhakti=में] | मिला/VM[root=मिल] दिया/VAUX",
        "(coord राम घर में आया ) और (coord उसमें मिला दिया )",
        "may require ne",
    ),
    "participle of an intransitive verb": (
        "राम/NNP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | बड़े/JJ घर/NN में/PSP | गया/VM",
        "(main राम (nonfin खाना खाकर ) बड़े घर में गया )",
        "subject is not certain",
    ),
    "participle without a subject": (
        "खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | आज/NST | नगर/NN में/PSP | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main (nonfin खाना खाकर ) आज नगर में बड़ी किताब पढ़ी )",
        "subject is not certain",
    ),
    "vector verb": (
        "राम/NNP ने/PSP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़/VM डाली/VAUX",
        "(main राम ने (nonfin खाना खाकर ) बड़ी किताब पढ़ डाली )",
        "belongs to it alone",
    ),
    "same verb": (
        "राम/NNP ने/PSP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | बड़ी/JJ रोटी/NN | खाई/VM",
        "(main राम ने (nonfin खाना खाकर ) बड़ी रोटी खाई )",
        "same object",
    ),
    "unknown verb": (
        "राम/NNP ने/PSP | रूप/NN[gender=m,number=sg] | धारणकर/VM[root=धारण,tam=kara]:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin रूप धारणकर ) बड़ी किताब पढ़ी )",
        "unknown verb",
    ),
    "two bare phrases": (
        "राम/NNP ने/PSP | मोहन/NNP | खाना/NN[gender=m,number=sg] | खाकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin मोहन खाना खाकर ) बड़ी किताब पढ़ी )",
        "several phrases",
    ),
    "relative clause of a clause that stays": (
        "नगर/NN | बड़ा/JJ | है/VM | ,/SYM | जो/PRP | बहुत/INTF पुराना/JJ | है/VM | और/CC | घर/NN में/PSP | गया/VM",
        "(coord नगर बड़ा है , (rel जो बहुत पुराना है ) ) और (coord घर में गया )",
        "no subject",
    ),
    "several relative clauses": (
        "नगर/NN में/PSP | एक/QC बाज़ार/NN | है/VM | जो/PRP | बहुत/INTF पुराना/JJ | है/VM | और/CC | "
        "जिसमें/PRP | सौ/QC दुकानें/NN | हैं/VM",
        "(main नगर में एक बाज़ार है (rel (coord जो बहुत पुराना है ) और (coord जिसमें सौ दुकानें हैं ) ) )",
        "several relative clauses",
    ),
    "relative clause of an apposition": (
        "यह/PRP | बड़ा/JJ | नगर/NN | है/VM | ,/SYM | एक/QC नगर/NN | जो/PRP | बहुत/INTF पुराना/JJ | है/VM",
        "(main यह बड़ा नगर है ) , एक नगर (rel जो बहुत पुराना है )",
        "has no verb",
    ),
    "relative clause before a case marker": (
        "राम/NNP ने/PSP | मोहन/NNP | ,/SYM | जो/PRP | बाहर/NST | रहता/VM है/VAUX | ,/SYM | को/PSP | किताब/NN | दी/VM",
        "(main राम ने मोहन , (rel जो बाहर रहता है ) , को किताब दी )",
        "does not describe the subject",
    ),
    "relative clause behind a case marker": (
        "मित्रों/NN के/PSP लिए/PSP | ,/SYM | जो/PRP | बाहर/NST | रहते/VM हैं/VAUX | ,/SYM | किताब/NN | नई/JJ | है/VM",
        "(main मित्रों के लिए , (rel जो बाहर रहते हैं ) , किताब नई है )",
        "does not describe the subject",
    ),
    "one pronoun for several": (
        "नगर/NN में/PSP | दो/QC दुकानें/NN[number=pl] | हैं/VM | ,/SYM | जिसमें/PRP | सौ/QC लोग/NN | हैं/VM",
        "(main नगर में दो दुकानें हैं , (rel जिसमें सौ लोग हैं ) )",
        "another number",
    ),
    "one pronoun for two": (
        "नगर/NN में/PSP | राम/NNP | और/CC | मोहन/NNP | हैं/VM | ,/SYM | जिसे/PRP | सब/PRP | जानते/VM हैं/VAUX",
        "(main नगर में राम और मोहन हैं , (rel जिसे सब जानते हैं ) )",
        "another number",
    ),
    "but since, before another clause": (
        "राम/NNP | आया/VM | ,/SYM | लेकिन/CC | चूंकि/CC | मोहन/NNP | सोया/VM | ,/SYM | सीता/NNP | बाहर/NST | गई/VM",
        "(main (coord राम आया ) , लेकिन (coord चूंकि मोहन सोया ) , (coord सीता बाहर गई ) )",
        "may belong to the next one",
    ),
    "although, before another clause": (
        "हालांकि/CC | राम/NNP | घर/NN में/PSP | आया/VM | ,/SYM | सीता/NNP | बाहर/NST | गई/VM",
        "(main हालांकि (coord राम घर में आया ) , (coord सीता बाहर गई ) )",
        "may belong to the next one",
    ),
    "what somebody became": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | बड़ा/JJ आदमी/NN | बन/VM गया/VAUX",
        "(coord राम घर में आया ) और (coord बड़ा आदमी बन गया )",
        "no subject",
    ),
    "how somebody was": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | अच्छी/JJ तरह/NN | तैयार/JJ | हो/VM गया/VAUX",
        "(coord राम घर में आया ) और (coord अच्छी तरह तैयार हो गया )",
        "no subject",
    ),
    "therefore": (
        "राम/NNP | घर/NN में/PSP | आया/VM | ,/SYM | इसलिए/PRP | बाहर/NST | बहुत/INTF खुश/JJ | था/VM",
        "(coord राम घर में आया ) , (coord इसलिए बाहर बहुत खुश था )",
        "no subject",
    ),
    "participle with a clause": (
        "राम/NNP ने/PSP | यह/PRP | बताते/VM:VGNF हुए/VAUX | कि/CC | सीता/NNP | बाहर/NST | गई/VM | किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin यह बताते हुए (comp कि सीता बाहर गई ) ) किताब पढ़ी )",
        "a participle with a clause",
    ),
    "what somebody is called": (
        "राम/NNP ने/PSP | मोहन/NNP को/PSP | बहन/NN[gender=f,number=sg] | बताकर/VM:VGNF | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin मोहन को बहन बताकर ) बड़ी किताब पढ़ी )",
        "several phrases",
    ),
    "object behind the verb": (
        "राम/NNP ने/PSP | देखा/VM | बच्चों/NN को/PSP | क्योंकि/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(main राम ने देखा बच्चों को (adv क्योंकि सीता बाहर गई ) )",
        "does not end with a verb",
    ),
    "examples": (
        "राम/NNP | घर/NN में/PSP | आया/VM | ,/SYM | जैसेकि/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(coord राम घर में आया ) , जैसेकि (coord सीता बाहर गई )",
        "examples alone",
    ),
    "case marker without its noun": (
        "मोहन/NNP | घर/NN में/PSP | आया/VM | क्योंकि/CC | वह/PRP | बाहर/NST | थी/VM | ,/SYM | ने/PSP:FRAGP | "
        "किताब/NN | पढ़ी/VM",
        "(main मोहन घर में आया (adv क्योंकि वह बाहर थी , ने किताब पढ़ी ) )",
        "without its noun",
    ),
    "the only one": (
        "यह/PRP | एकमात्र/JJ नगर/NN | है/VM | जहां/PRP | सौ/QC दुकानें/NN | हैं/VM",
        "(main यह एकमात्र नगर है (rel जहां सौ दुकानें हैं ) )",
        "which one",
    ),
    "the largest": (
        "यह/PRP | सबसे/INTF बड़ा/JJ नगर/NN | है/VM | जहां/PRP | सौ/QC दुकानें/NN | हैं/VM",
        "(main यह सबसे बड़ा नगर है (rel जहां सौ दुकानें हैं ) )",
        "which one",
    ),
    "instead of something": (
        "भाषा/NN | घर/NN में/PSP | आई/VM | और/CC | उर्दू/NNP की/PSP | जगह/NN | हिंदी/NN | हो/VM[tam=0] जाती/VAUX है/VAUX",
        "(coord भाषा घर में आई ) और (coord उर्दू की जगह हिंदी हो जाती है )",
        "no subject",
    ),
    "what somebody became there": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | नगर/NN में/PSP | बड़ा/JJ आदमी/NN | बन/VM गया/VAUX",
        "(coord राम घर में आया ) और (coord नगर में बड़ा आदमी बन गया )",
        "no subject",
    ),
    "as the film says": (
        "जैसेकि/CC | राम/NNP ने/PSP | कहा/VM | कि/CC | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(main जैसेकि राम ने कहा (comp कि सीता घर में गई ) )",
        "a comparison",
    ),
    "what he says": (
        "वह/PRP | क्या/WQ | कहता/VM है/VAUX | और/CC | मोहन/NNP | आज/NN | घर/NN में/PSP | आता/VM है/VAUX",
        "(coord वह क्या कहता है ) और (coord मोहन आज घर में आता है )",
        "a question in a statement",
    ),
    "a case marker taken for a verb": (
        "राम/NNP ने/PSP | किताब/NN | पढ़ी/VM | ,/SYM | नगर/NN में/PSP | की/VM",
        "(coord राम ने किताब पढ़ी ) , (coord नगर में की )",
        "case marker taken for a verb",
    ),
    "a subject with a comma": (
        "आज/NN>5:k1 | ,/SYM>1:rsym | राम/NNP>1:ccof | घर/NN में/PSP>5:k7p | आया/VM | और/CC | घर/NN में/PSP>8:k7p | सोया/VM",
        "(coord आज , राम घर में आया ) और (coord घर में सोया )",
        "part of a list",
    ),
    "objects of participles": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | किताब/NN | बाहर/NST | भेजकर/VM:VGNF | चिट्ठी/NN | लिखता/VM था/VAUX",
        "(coord राम घर में आया ) और (coord किताब बाहर भेजकर चिट्ठी लिखता था )",
        "no subject",
    ),
    "a pronoun that may stand for the subject": (
        "राम/NNP ने/PSP | मोहन/NNP को/PSP | देखा/VM | ,/SYM | जो/PRP | बहुत/INTF छोटा/JJ | था/VM",
        "(main राम ने मोहन को देखा , (rel जो बहुत छोटा था ) )",
        "several nouns",
    ),
    "a pronoun for a noun with a postposition": (
        "नगर/NN | बाज़ार/NN के/PSP लिए/PSP | बड़ा/JJ | है/VM | ,/SYM | जो/PRP | बहुत/INTF पुराना/JJ | है/VM",
        "(main नगर बाज़ार के लिए बड़ा है , (rel जो बहुत पुराना है ) )",
        "several nouns",
    ),
    "a plural clause on a singular subject": (
        "नगर/NN में/PSP | सवाल/NN | है/VM[number=sg] | ,/SYM | जो/PRP | बहुत/INTF पुराने/JJ | हैं/VM[number=pl]",
        "(main नगर में सवाल है , (rel जो बहुत पुराने हैं ) )",
        "than the verb before it",
    ),
    "another word taken for a verb": (
        "नगर/NN | मे/VM[root=म,tam=yA] | ,/SYM | राम/NNP ने/PSP | आज/NN | किताब/NN | पढ़ी/VM",
        "(coord नगर मे ) , (coord राम ने आज किताब पढ़ी )",
        "another word taken for a verb",
    ),
    "no agent at the start": (
        "आज/NN | किताब/NN | पढ़ी/VM | और/CC | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(coord आज किताब पढ़ी ) और (coord सीता घर में गई )",
        "no subject",
    ),
    "a shared object": (
        "राम/NNP ने/PSP | किताब/NN को/PSP | देखा/VM | और/CC | याद/NN | किया/VM",
        "(coord राम ने किताब को देखा ) और (coord याद किया )",
        "object may be that of the clause before",
    ),
    "a noun that does not agree": (
        "शशि/NNP[gender=f] | घर/NN में/PSP | आई/VM | और/CC | नगर/NN में/PSP | टपक/NN[gender=m] | पड़ी/VM[gender=f]",
        "(coord शशि घर में आई ) और (coord नगर में टपक पड़ी )",
        "no subject",
    ),
    "an object without ne": (
        "राम/NNP | घर/NN में/PSP | आया/VM | और/CC | रास्ता/NN | बहुत/RB | भूल/VM गया/VAUX",
        "(coord राम घर में आया ) और (coord रास्ता बहुत भूल गया )",
        "no subject",
    ),
    "the first of a list": (
        "राम/NNP | घर/NN में/PSP | लड़ा/VM | ,/SYM | मोहन/NNP ,/SYM | सोहन/NNP | और/CC | सीता/NNP से/PSP | बहुत/RB | लड़ा/VM",
        "(coord राम घर में लड़ा ) , (coord मोहन , सोहन और सीता से बहुत लड़ा )",
        "no subject",
    ),
    "what something becomes": (
        "भाषा/NN | घर/NN में/PSP | आई/VM | और/CC | नगर/NN में/PSP | हिंदी/NN | हो/VM[tam=0] जाती/VAUX[root=जा] है/VAUX",
        "(coord भाषा घर में आई ) और (coord नगर में हिंदी हो जाती है )",
        "no subject",
    ),
    "what somebody was": (
        "पिता/NN | घर/NN में/PSP | आते/VM थे/VAUX | और/CC | नगर/NN के/PSP | दीवान/NN[number=sg] | मंत्री/NN[number=sg] | "
        "थे/VM[number=pl]",
        "(coord पिता घर में आते थे ) और (coord नगर के दीवान मंत्री थे )",
        "no subject",
    ),
    "a copy of something not known yet": (
        "एक/QC राजा/NN | घर/NN में/PSP | आया/VM | और/CC | नगर/NN में/PSP | गया/VM",
        "(coord एक राजा घर में आया ) और (coord नगर में गया )",
        "may be something else",
    ),
    "a pronoun and a noun taken for one phrase": (
        "यह/DEM नगर/NN पर/PSP | आधारित/JJ | है/VM | ,/SYM | जो/PRP | बहुत/INTF पुराना/JJ | है/VM",
        "(main यह नगर पर आधारित है , (rel जो बहुत पुराना है ) )",
        "several nouns",
    ),
    "a relative clause beside another": (
        "राम/NNP | जो/PRP | छोटा/JJ | था/VM | घर/NN में/PSP | गया/VM | ,/SYM | जिससे/PRP | सीता/NNP | सोई/VM",
        "(main राम (rel जो छोटा था ) घर में गया , (rel जिससे सीता सोई ) )",
        "several relative clauses",
    ),
    "in places where": (
        "ये/PRP | नगरों/NN में/PSP | आते/VM हैं/VAUX | जहां/PRP | सौ/QC दुकानें/NN | होती/VM हैं/VAUX",
        "(main ये नगरों में आते हैं (rel जहां सौ दुकानें होती हैं ) )",
        "which one",
    ),
    "designed by": (
        "राम/NNP द्वारा/PSP | बनाया/VM गया/VAUX | ,/SYM | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(coord राम द्वारा बनाया गया ) , (coord सीता घर में गई )",
        "no subject",
    ),
    "while, before another clause": (
        "राम/NNP | घर/NN में/PSP | आया/VM | ,/SYM | जबकि/CC | मोहन/NNP | बाहर/NST | था/VM | ,/SYM | "
        "सीता/NNP | घर/NN | थी/VM",
        "(coord राम घर में आया ) , (adv जबकि मोहन बाहर था , सीता घर थी )",
        "may belong to the next one",
    ),
    "what is to be seen": (
        "राम/NNP | घर/NN में/PSP | था/VM | और/CC | उसमें/PRP[case=o,vibhakti=में] | नया/JJ रंग/NN | "
        "दिखाई/VM[root=दिखा,tam=yA] देता/VAUX[root=दे,tam=wA] है/VAUX",
        "(coord राम घर में था ) और (coord उसमें नया रंग दिखाई देता है )",
        "no subject",
    ),
    "how large it is": (
        "नगर/NN | कितना/INTF बड़ा/JJ | है/VM | ,/SYM | वह/PRP | भी/RP | नगर/NN में/PSP | दिखता/VM है/VAUX",
        "(coord नगर कितना बड़ा है ) , (coord वह भी नगर में दिखता है )",
        "a question in a statement",
    ),
    "themselves": (
        "बच्चे/NN | घर/NN में/PSP | आए/VM थे/VAUX | लेकिन/CC | स्वयं/PRP | नगर/NN में/PSP | निकलते/VM हैं/VAUX",
        "(coord बच्चे घर में आए थे ) लेकिन (coord स्वयं नगर में निकलते हैं )",
        "no subject",
    ),
    "the object of a gerund, before an adjective": (
        "वे/PRP | घर/NN में/PSP | आते/VM हैं/VAUX | और/CC | समर्पण/NN | एकतरफा/JJ | रहने/VM की/PSP:VGNN | अपेक्षा/NN | "
        "करते/VM हैं/VAUX",
        "(coord वे घर में आते हैं ) और (coord समर्पण एकतरफा रहने की अपेक्षा करते हैं )",
        "no subject",
    ),
    "no noun at the start": (
        "नगर/NN से/PSP | निकले/VM थे/VAUX | और/CC | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(coord नगर से निकले थे ) और (coord सीता घर में गई )",
        "no subject",
    ),
    "the one name that": (
        "केवल/RP यह/PRP | नगर/NN | है/VM | ,/SYM | जिसे/PRP | सब/PRP | बहुत/RB | जानते/VM हैं/VAUX",
        "(main केवल यह नगर है , (rel जिसे सब बहुत जानते हैं ) )",
        "which one",
    ),
    "nobody gives": (
        "अब/RB | उसे/PRP[case=o,vibhakti=को] | रुपये/NN | देता/VM था/VAUX | और/CC | सीता/NNP | घर/NN में/PSP | गई/VM",
        "(coord अब उसे रुपये देता था ) और (coord सीता घर में गई )",
        "no subject",
    ),
    "a noun taken for a verb with ne": (
        "राम/NNP ने/PSP | बदले/VM[root=बदल,tam=yA] | और/CC | मोहन/NNP ने/PSP | बहुत/QF किताब/NN | पढ़ी/VM",
        "(coord राम ने बदले ) और (coord मोहन ने बहुत किताब पढ़ी )",
        "no object",
    ),
    "what somebody thinks": (
        "तुम/PRP | यह/PRP | सोच/VM रहे/VAUX थे/VAUX | ,/SYM | राम/NNP | घर/NN में/PSP | आया/VM",
        "(coord तुम यह सोच रहे थे ) , (coord राम घर में आया )",
        "thinks or asks",
    ),
    "taken up by another pronoun": (
        "नगर/NNP | जो/PRP | बहुत/INTF पुराना/JJ | है/VM | उसमें/PRP | सौ/QC दुकानें/NN | हैं/VM",
        "(main नगर (rel जो बहुत पुराना है ) उसमें सौ दुकानें हैं )",
        "taken up again",
    ),
    "because, before but": (
        "राम/NNP | घर/NN में/PSP | आया/VM | क्योंकि/CC | मोहन/NNP | बाहर/NST | था/VM | ,/SYM | मगर/CC | सीता/NNP | घर/NN | "
        "थी/VM",
        "(coord राम घर में आया ) (adv क्योंकि मोहन बाहर था , मगर सीता घर थी )",
        "may belong to the next one",
    ),
    "a noun in the oblique plural": (
        "भाई/NN | घर/NN में/PSP | आए/VM थे/VAUX | और/CC | कोठों/NN | नगर/NN में/PSP | गद्दे/NN पर/PSP | बैठ/VM गए/VAUX",
        "(coord भाई घर में आए थे ) और (coord कोठों नगर में गद्दे पर बैठ गए )",
        "no subject",
    ),
    "having finished": (
        "राम/NNP ने/PSP | किताब/NN[gender=f,number=sg] | पढ़/VM चुकने/VM[root=चुक] के/PSP बाद/NST:VGNN | बड़ी/JJ चिट्ठी/NN | "
        "लिखी/VM",
        "(main राम ने किताब पढ़ चुकने के बाद बड़ी चिट्ठी लिखी )",
        "auxiliary that the main verb",
    ),
    "a participle and an auxiliary": (
        "वो/PRP | नए/JJ | घर/NN में/PSP | आए/VM थे/VAUX | और/CC | उसे/PRP | जानते/VM:VGNF | नहीं/NEG थे/VM",
        "(coord वो नए घर में आए थे ) और (coord उसे जानते नहीं थे )",
        "no subject",
    ),
    "a conjunction after a nested clause": (
        "नियम/NN | है/VM | -/SYM | वो/PRP | टिकट/NN | लेते/VM हैं/VAUX | लेकिन/CC | वो/PRP | पैसे/NN | नहीं/NEG लेते/VM",
        "(main नियम है - (coord वो टिकट लेते हैं ) लेकिन वो पैसे नहीं लेते )",
        "what is after it",
    ),
    "for that reason, because": (
        "राम/NNP | घर/NN में/PSP | इसलिए/PRP | आया/VM | क्योंकि/CC | सीता/NNP | बाहर/NST | गई/VM",
        "(main राम घर में इसलिए आया (adv क्योंकि सीता बाहर गई ) )",
        "a correlative word",
    ),
    "made by": (
        "राम/NNP ने/PSP | सीता/NNP द्वारा/PSP | बनाया/VM | और/CC | मोहन/NNP ने/PSP | कई/QF चित्र/NN | दिए/VM",
        "(coord राम ने सीता द्वारा बनाया ) और (coord मोहन ने कई चित्र दिए )",
        "a participle taken for",
    ),
    "a relative clause with a comma and a conjunction": (
        "नगर/NN में/PSP | बाज़ार/NN | है/VM | ,/SYM | जो/PRP | पुराना/JJ | था/VM | ,/SYM | और/CC | घर/NN | है/VM",
        "(main नगर में बाज़ार है , (rel जो पुराना था , और घर है ) )",
        "may go on in it",
    ),
    "as a guest": (
        "बतौर/NN दर्शक/NN | राम/NNP | घर/NN में/PSP | आता/VM है/VAUX | और/CC | नगर/NN में/PSP | जाता/VM है/VAUX",
        "(coord बतौर दर्शक राम घर में आता है ) और (coord नगर में जाता है )",
        "is no subject",
    ),
    "a pronoun beside a verb that seems to take ne": (
        "राम/NNP ने/PSP>3:k1 | किताब/NN>3:k2 | पढ़ी/VM | लेकिन/CC>3:ccof | वह/PRP>8:k2 | घर/NN में/PSP>8:k7p | "
        "टिक/NN>8:pof | पाए/VM[root=पा,tam=yA]>4:ccof",
        "(coord राम ने किताब पढ़ी ) लेकिन (coord वह घर में टिक पाए )",
        "of its own",
    ),
    "two clauses around another": (
        "राम/NNP ने/PSP | मोहन/NNP को/PSP | बताया/VM | कि/CC | युद्ध/NN | शुरू/JJ | होगा/VM | ;/SYM | ऐसा/PRP | "
        "होता/VM है/VAUX",
        "(main राम ने मोहन को बताया (comp कि युद्ध शुरू होगा ) ; ऐसा होता है )",
        "what is after it",
    ),
    "in places where, before a comma": (
        "बाज़ार/NN | ऐसे/DEM नगरों/NN में/PSP | जहां/PRP | लोग/NN | रहते/VM हैं/VAUX | ,/SYM | काम/NN | जारी/JJ | था/VM",
        "(coord बाज़ार ऐसे नगरों में जहां लोग रहते हैं ) , (coord काम जारी था )",
        "belong to the next one",
    ),
    "a noun in the singular before a plural verb": (
        "दोनों/QC लोग/NN | घर/NN में/PSP | आते/VM थे/VAUX | और/CC | नगर/NN में/PSP | बर्मा/NN[number=sg] | बहुत/RB | "
        "लड़/VM रहे/VAUX[number=pl] थे/VAUX[number=pl]",
        "(coord दोनों लोग घर में आते थे ) और (coord नगर में बर्मा बहुत लड़ रहे थे )",
        "no subject",
    ),
    "a shared receiver": (
        "राम/NNP ने/PSP | मोहन/NNP को/PSP | दूर/JJ | रखते/VM:VGNF हुए/VAUX | बड़ी/JJ किताब/NN | पढ़ी/VM",
        "(main राम ने (nonfin मोहन को दूर रखते हुए ) बड़ी किताब पढ़ी )",
        "same receiver",
    ),
    "a shared auxiliary": (
        "लोग/NN[number=pl] | घर/NN में/PSP | हिंदी/NN | बोलते/VM | और/CC | वे/PRP | बहुत/RB | लिखते/VM हैं/VAUX",
        "(coord लोग घर में हिंदी बोलते ) और (coord वे बहुत लिखते हैं )",
        "the auxiliary may be",
    ),
    "part of a foreign name": (
        "ड्यूक/NN | ऑफ़/NNPC नॉरमंडी/NNP ने/PSP | किताब/NN | पढ़ी/VM | और/CC | चिट्ठी/NN | लिखी/VM",
        "(coord ड्यूक ऑफ़ नॉरमंडी ने किताब पढ़ी ) और (coord चिट्ठी लिखी )",
        "part of a name",
    ),
    "a receiver as subject": (
        "किताब/NN | पढ़ी/VM गई/VAUX | और/CC | मोहन/NNP को/PSP | सौंपी/VM गई/VAUX",
        "(coord किताब पढ़ी गई ) और (coord मोहन को सौंपी गई )",
        "no subject",
    ),
    "brackets": (
        "राम/NNP | (/SYM | घर/NN में/PSP | गया/VM | और/CC | सीता/NNP | घर/NN में/PSP | गई/VM | )/SYM | ।/SYM",
        "(coord राम \\( घर में गया ) और (coord सीता घर में गई \\) । )",
        "brackets apart",
    ),
}


@pytest.mark.parametrize(("tagged", "clauses", "reason"), KEPT.values(), ids=KEPT)
def test_other_clauses_stay_and_say_why(tagged: str, clauses: str, reason: str):
    careful = simplified(tagged, clauses)
    assert len(careful.sentences) == 1
    assert any(reason in why for _, why in careful.kept_together), careful.kept_together
    assert len(simplified(tagged, clauses, every_clause=True).sentences) > 1


def test_what_follows_a_kept_complement_may_belong_to_it():
    tagged = f"राम/NNP | नहीं/NEG चाहता/VM | {KI} | और/CC | मोहन/NNP | घर/NN में/PSP | आया/VM"
    clauses = f"(coord राम नहीं चाहता {COMPLEMENT} ) और (coord मोहन घर में आया )"
    assert len(simplified(tagged, clauses).sentences) == 1


def test_a_relative_pronoun_inside_a_kept_clause_stays():
    tagged = (
        "राम/NNP | जहां/PRP | बाहर/NST | रहा/VM | ,/SYM | वहां/PRP | सीता/NNP | घर/NN में/PSP | रही/VM | और/CC | "
        "मोहन/NNP | दूर/NST | गया/VM"
    )
    clauses = "(coord (adv राम जहां बाहर रहा ) , वहां सीता घर में रही ) और (coord मोहन दूर गया )"
    assert str(simplified(tagged, clauses)).startswith("राम जहां बाहर रहा , वहां सीता घर में रही")


@pytest.mark.parametrize(("is_parsed", "count"), [(False, 2), (True, 1)])
def test_the_subject_in_a_parser_s_tree_is_not_certain(is_parsed, count):
    forms = "मोहन/NNP | आज/NN | घर/NN में/PSP | रोटी/NN[gender=f,number=sg] | खाकर/VM:VGNF | सोया/VM"
    sentence = parse_sentence(forms)
    links = [(5, "k1"), (5, "k7t"), (4, "k7p"), (4, "k2"), (5, "vmod"), (-1, "")]
    chunks = [
        replace(chunk, head=head, relation=relation)
        for chunk, (head, relation) in zip(sentence.chunks, links, strict=True)
    ]
    tree = replace(sentence, chunks=tuple(chunks), is_parsed=is_parsed)
    clauses = parse_bracketed("(main मोहन आज (nonfin घर में रोटी खाकर ) सोया )")[1]
    assert len(simplify(tree, clauses).sentences) == count
    assert len(simplify(tree, clauses, every_clause=True).sentences) == 2


def test_a_question_without_a_tag_keeps_its_mark():
    tagged = "तुम/PRP | कहाँ/NN | जा/VM रहे/VAUX हो/VAUX | और/CC | कब/WQ | लौटोगे/VM | ?/SYM"
    result = simplified(tagged, "(coord तुम कहाँ जा रहे हो ) और (coord कब लौटोगे ) ?", every_clause=True)
    assert str(result) == "तुम कहाँ जा रहे हो ? | तुम कब लौटोगे ?"


def test_a_form_before_the_progressive_is_a_root():
    tagged = "वह/PRP>4:k1 | गाना/NN>3:k2 | गाते/VM हुए/VAUX:VGNF>4:vmod | चला/VM[root=चल,tam=yA] रहा/VAUX था/VAUX"
    result = simplified(tagged, "(main वह (nonfin गाना गाते हुए ) चला रहा था )", every_clause=True)
    assert str(result) == "वह गाना गा रहा था | वह चला रहा था"


def test_a_clause_with_a_subject_shares_none():
    tagged = (
        "यह/DEM दवा/NN>3:k1 | सुरक्षित/JJ>3:k1s | है/VM>4:ccof | और/CC | "
        "इससे/PRP>7:k3 | कोई/PRP नुकसान/NN>7:pof | नहीं/NEG होगा/VM>4:ccof"
    )
    clauses = "(coord यह दवा सुरक्षित है ) और (coord इससे कोई नुकसान नहीं होगा )"
    assert str(simplified(tagged, clauses, every_clause=True)) == "यह दवा सुरक्षित है | इससे कोई नुकसान नहीं होगा"
