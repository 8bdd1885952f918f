// The few English words that the strict judge knows: function words, negations, synonyms, and opposites. Any other word means only itself.

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that carry no fact of their own: grammar, light verbs, and politeness. */
export const EMPTY_WORDS = set(
  'a an the of to in on at for by with from and or but as is are was were be been being am do does did have has had having ' +
    'will would shall can could may might must should it its this that these those there here i me my mine we us our you your yours he ' +
    'him his she her hers they them their who whom whose which what when where how whether if then than so just also too very really ' +
    'now still yet already again both each any some anything something because since while until about into out up over per get got ' +
    'gets getting go goes one ones own s please kindly gladly thanks thank sorry hello hi hey dear regards best kind wishes cheers ' +
    'sincerely yours enjoy ok okay sure yes well however therefore although though',
);

/** Verbs that start a sentence before a name, and do not belong to the name. */
export const IMPERATIVES = set(
  'ask tell write send call buy add remove delete order put reply forward invite remind book cancel move let give find show say greet ' +
    'meet answer email message text thank inform notify bring take pick',
);

/** Words that negate their clause. */
export const DENIALS = set(
  'not no never nothing none nobody nowhere neither nor cannot without unable fail fails failed refuse refuses refused hardly barely ' +
    'refrain refrained refraining disregard undo undid undone kidding joking pretend pretended almost nearly',
);
/** Negations of several words. */
export const DENYING_PHRASES =
  /\b(?:rather than|instead of|except for|no longer|all but|(?:would|could|should|might) have)\b/gi;
/** Phrases that look like negations, but are not. */
export const HARMLESS_PHRASES =
  /\b(?:no problem|no worries|(?:do not|don't) (?:hesitate|worry|forget)(?: to)?|not only|without (?:a )?doubt|no doubt)\b/gi;
/** Polite phrases of several words. */
export const COURTESY =
  /\b(?:let me know if you (?:need|have|want)[^.!?\n]*|have a (?:nice|good|great|lovely) (?:day|evening|weekend|time)|(?:i )?hope (?:you are|you're|this|all is)[^.!?\n]*|looking forward to[^.!?\n]*|(?:best|kind|warm) (?:regards|wishes)|(?:many )?thanks(?: a lot)?|thank you(?: very much)?)/gi;

const GROUPS = [
  'flat apartment',
  'email mail',
  'large big great',
  'small little',
  'begin start commence',
  'done complete finish accomplish',
  'end conclude',
  'buy purchase order',
  'arrive come',
  'cancel annul',
  'move shift reschedule',
  'pick collect fetch',
  'tell inform notify',
  'answer reply respond',
  'need require',
  'phone telephone',
  'all everything everyone everybody',
  'remove delete',
  'sick ill',
  'talk discuss speak',
  'photo picture image',
  'cheap inexpensive',
  'expensive costly dear',
  'doctor physician',
  'shop store',
  'holiday vacation',
  'movie film',
  'bring carry',
  'help assist',
  'child kid',
  'place location venue',
  'suit fit',
  'write text',
  'two-times twice',
] as const;

const OPPOSITES = [
  'accept decline',
  'accept reject',
  'confirm cancel',
  'book cancel',
  'before after',
  'open closed',
  'open close',
  'large small',
  'cheap expensive',
  'early late',
  'more less',
  'more fewer',
  'first last',
  'begin end',
  'buy sell',
  'add remove',
  'keep remove',
  'arrive leave',
  'win lose',
  'find lose',
  'have lost',
  'black white',
  'hot cold',
  'old new',
  'left right',
  'all nothing',
  'high low',
  'long short',
  'rise fall',
  'available unavailable',
  'possible impossible',
  'succeed fail',
  'true false',
  'right wrong',
  'on off',
] as const;

/** Forms that the rules of `stemOf` miss. */
const IRREGULAR: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'sent send|bought buy|came come|told tell|brought bring|wrote write|written write|began begin|begun begin|took take|taken take|' +
    'paid pay|sold sell|said say|made make|found find|lost lose|met meet|kept keep|gave give|given give|left leave|spoke speak|' +
    'went go|gone go|put put|read read|people person|children child|bigger big|biggest big|larger large|largest large|cheaper cheap|' +
    'cheapest cheap|dearer dear|smaller small|earlier early|later late|cancelled cancel|canceled cancel|forgot forget|won win'
  )
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Stem that all forms of a word share: `moves`, `moved` and `moving` are `mov`. */
function stemOf(word: string): string {
  const known = Object.hasOwn(IRREGULAR, word) ? (IRREGULAR[word] as string) : word;
  const bare = known.replace(/(?:'s|')$/, '');
  const cut = bare
    .replace(/ies$/, 'y')
    .replace(/ied$/, 'y')
    .replace(/(?<=[^s]s|x|ch|sh|z)es$/, '')
    .replace(/(?<=\w{2}[^su])s$/, '')
    .replace(/(?<=\w{3})ing$/, '')
    .replace(/(?<=\w{2})ed$/, '');
  return cut.replace(/([bdgmnprt])\1$/, '$1').replace(/(?<=\w{2})e$/, '');
}

const MEANINGS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((group) => {
    const [first = '', ...rest] = group.split(' ').map(stemOf);
    return [first, ...rest].map((word): [string, string] => [word, first]);
  }),
);

/** The same key for all words with the same meaning. */
export function meaningOf(word: string): string {
  const stem = stemOf(word);
  return MEANINGS.get(stem) ?? stem;
}

/** Meanings that exclude each other. */
export const OPPOSITE_MEANINGS: ReadonlyMap<string, ReadonlySet<string>> = OPPOSITES.reduce((known, pair) => {
  const [a = '', b = ''] = pair.split(' ').map(meaningOf);
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const)
    known.set(one, new Set([...(known.get(one) ?? []), other]));
  return known;
}, new Map<string, Set<string>>());

export const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, number) => [word, number]),
);
export const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
export const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
