// Judges texts strictly, without a model. The agent's text must have all facts and words of the oracle's text (or synonyms); no fact, and
// hardly a word, that neither the oracle nor the task has; the same negations, and no opposite; facts of a kind in the same order; and a
// limited length. It rejects many paraphrases rather than accept a false text; docs/reference/are.md has the rates.
import type { SoftEngine, SoftQuestion } from '../soft.ts';
import { meaningOf, OPPOSITE_MEANINGS } from './lexicon.ts';
import { dayAfter, namesIn, type Reading, read, type Token, weekdayOf } from './reading.ts';

/** An agent's text may have `times` as many words as the oracle's, plus `more`. */
const LONGER = { times: 2, more: 12 };
/** The share of the oracle's words that may be missing if no new word is added and the oracle has at least `from` words. */
const MISSING = { share: 0.25, from: 4 };
/** A word may occur this many times more than in the oracle's text. */
const REPEATS = 1;
/** A text of at least `from` words is a mere list of words if its share of function words is below `agent` while the oracle's is at least `oracle`. */
const HEAP = { agent: 0.15, oracle: 0.25, from: 8 };

/** A confirmation by the oracle has at most this many words. */
const CONFIRMATION = 2;
/** Words that confirm any task. */
const CONFIRMING = ['done', 'all', 'successfully', 'task'].map(meaningOf);

export const strictEngine: SoftEngine = {
  judge(question) {
    const { checker, agentCall } = question;
    if (checker === 'sanity_checker' || checker === 'tone_checker') return !/[{}<>]|```/.test(agentCall);
    if (checker === 'signature_checker') return !/\b(assistant|user)\s*$/i.test(agentCall);
    const oracle = argumentsOf(question.oracleCall);
    const agent = argumentsOf(question.agentCall, [...oracle.keys()]);
    return [...oracle].every(([name, wanted]) => {
      const given = agent.get(name) ?? '';
      if (isEmptyArgument(given)) return checker === 'event_checker' && !isMentioned(wanted, question);
      return hasSameMeaning(given, wanted, question);
    });
  },
  subtask: ({ task }) => task,
};

/** Parses `name: value` lines; a value may span lines. @param known names, in case a line of a value looks like one */
function argumentsOf(call: string, known: readonly string[] | null = null): Map<string, string> {
  const found = new Map<string, string>();
  let name = '';
  for (const line of call.split('\n')) {
    const [, key, rest = ''] = /^([a-z_]+): (.*)$/.exec(line) ?? [];
    if (key !== undefined && (found.size === 0 || (known?.includes(key) ?? ARGUMENTS.has(key)))) {
      name = key;
      found.set(name, rest.trim());
    } else if (name !== '') found.set(name, `${found.get(name)}\n${line}`);
  }
  return found;
}
/** Names of all arguments that the soft judge compares. */
const ARGUMENTS = new Set([
  'title',
  'description',
  'location',
  'content',
  'subject',
  'start_location',
  'end_location',
  'updates',
]);

const isEmptyArgument = (value: string): boolean => /^(?:None|null|)$/.test(value.trim());

/** Whether the task mentions something of the wanted value; if not, an event's description or location may be left empty. */
function isMentioned(wanted: string, { task, subtask, previousTask, today }: SoftQuestion): boolean {
  const context = { today, names: new Set<string>() };
  const asked = new Set(read(`${task}\n${subtask}\n${previousTask}`, context).tokens.map(({ key }) => key));
  return read(wanted, context).tokens.some(({ key }) => asked.has(key));
}

function hasSameMeaning(given: string, wanted: string, question: SoftQuestion): boolean {
  const { task, subtask, previousTask, userName, userAddress, today, checker } = question;
  const usesAddress = checker === 'cab_checker' || checker === 'event_checker';
  const [own, other] =
    usesAddress && userAddress !== '' ? [given, wanted].map((text) => atHome(text, userAddress)) : [given, wanted];
  const around = [task, subtask, previousTask, userName, userAddress].join('\n');
  const context = { today, names: namesIn([own as string, other as string, around]) };
  const agent = read(own as string, context);
  const oracle = read(other as string, context);
  const known = read(around, context).tokens;
  if (checker === 'user_message_checker' && isConfirmed(agent, oracle, known, today)) return true;
  return (
    isOfLength(agent, oracle) &&
    hasFacts(agent, oracle) &&
    hasNoOtherFact(agent, oracle, known, today) &&
    hasWords(agent, oracle, known) &&
    isOfOnePolarity(agent, oracle) &&
    isInOrder(agent, oracle) &&
    !isExchanged(agent, oracle)
  );
}

/** Whether the text only confirms, in the task's words, that the task is done. That is enough if the oracle's text does no more. */
function isConfirmed(agent: Reading, oracle: Reading, known: readonly Token[], today: string): boolean {
  const explained = new Set([...known.map(({ key }) => key), ...CONFIRMING]);
  const [own, wanted] = [wordsOf(agent), wordsOf(oracle)];
  const isBare = factsOf(oracle).length === 0 && wanted.length > 0 && wanted.length <= CONFIRMATION;
  if (!isBare || !wanted.every((key) => explained.has(key)) || oracle.denials > 0 || oracle.asks) return false;
  const isRepeated = [...countsOf(own).values()].some((count) => count > 1 + REPEATS);
  const isAffirmed = own.length > 0 && agent.denials === 0 && !agent.asks && !isRepeated && !isOpposed(own, wanted);
  const unexplained = own.filter((key) => !explained.has(key)).length;
  return isAffirmed && unexplained <= 1 && hasNoOtherFact(agent, oracle, known, today);
}

/** Replaces the user's home, written as “home” or as its address, by one name, so that both count as the same place. */
const atHome = (text: string, address: string): string =>
  text.replace(/\b(?:my |user's |the user's )?home\b/gi, address).replaceAll(address, ' Userhome Address ');

const factsOf = ({ tokens }: Reading): Token[] => tokens.filter(({ kind }) => kind !== 'word');
const wordsOf = ({ tokens }: Reading): string[] => tokens.flatMap(({ kind, key }) => (kind === 'word' ? [key] : []));

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function isOfLength(agent: Reading, oracle: Reading): boolean {
  if (agent.words > LONGER.times * oracle.words + LONGER.more) return false;
  const share = ({ empty, words }: Reading) => empty / Math.max(1, words);
  const isHeap = agent.words >= HEAP.from && share(agent) < HEAP.agent && share(oracle) >= HEAP.oracle;
  return !isHeap;
}

/** Whether the text names this person or thing; a part of the name is enough. */
const isNamed = (name: Token, { tokens }: Pick<Reading, 'tokens'>): boolean =>
  tokens.some(({ kind, parts }) => kind === 'name' && parts.some((part) => name.parts.includes(part)));

function hasFacts(agent: Reading, oracle: Reading): boolean {
  const dates = factsOf(agent).filter(({ kind }) => kind === 'date');
  return factsOf(oracle).every((fact) => {
    if (fact.kind === 'name') return isNamed(fact, agent);
    if (fact.kind === 'number' && fact.key === '1' && agent.hasOne) return true;
    // A date may omit its year.
    if (fact.kind === 'date' && /^\d{4}$/.test(fact.key) && !dates.some(({ key }) => /^\d{4}$/.test(key))) return true;
    return agent.tokens.some(({ kind, key }) => kind === fact.kind && key === fact.key);
  });
}

/** Whether every new fact is in the task, or follows from a date. */
function hasNoOtherFact(agent: Reading, oracle: Reading, known: readonly Token[], today: string): boolean {
  const allowed = [...factsOf(oracle), ...known];
  const days = new Set(
    Array.from({ length: 7 }, (_, days) => dayAfter(today, days)).flatMap((day) => [
      `${weekdayOf(day)} ${day.slice(5)}`,
    ]),
  );
  const follows = (fact: Token) =>
    allowed.some(
      ({ kind, key }) =>
        (fact.kind === 'date' && kind === 'weekday' && days.has(`${key} ${fact.key}`)) ||
        (fact.kind === 'weekday' && kind === 'date' && days.has(`${fact.key} ${key}`)),
    ) ||
    (fact.kind === 'date' && fact.key === today.slice(0, 4));
  return factsOf(agent).every((fact) =>
    fact.kind === 'name'
      ? fact.parts.every((part) => allowed.some(({ parts }) => parts.includes(part)))
      : allowed.some(({ kind, key }) => kind === fact.kind && key === fact.key) || follows(fact),
  );
}

function hasWords(agent: Reading, oracle: Reading, known: readonly Token[]): boolean {
  const [own, wanted] = [countsOf(wordsOf(agent)), countsOf(wordsOf(oracle))];
  const explained = new Set(known.flatMap(({ parts, key }) => [key, ...parts]));
  const missing = [...wanted.keys()].filter((key) => !own.has(key));
  const extra = [...own.keys()].filter((key) => !wanted.has(key) && !explained.has(key));
  const isRepeated = [...own].some(([key, count]) => count > (wanted.get(key) ?? 1) + REPEATS);
  const mostMissing = wanted.size >= MISSING.from && extra.length === 0 ? MISSING.share * wanted.size : 0;
  const mostExtra = Math.max(1, Math.floor(wanted.size / 2));
  // A word with an opposite may never be missing.
  const isKey = missing.some((key) => OPPOSITE_MEANINGS.has(key));
  return (
    !isKey &&
    missing.length <= mostMissing &&
    extra.length <= mostExtra &&
    !isOpposed([...own.keys()], [...wanted.keys()]) &&
    !isRepeated
  );
}

/** Whether the text has the opposite of a wanted word, unless that opposite is wanted too. */
const isOpposed = (own: readonly string[], wanted: readonly string[]): boolean =>
  own.some((key) => {
    const opposites = OPPOSITE_MEANINGS.get(key);
    return !wanted.includes(key) && opposites !== undefined && wanted.some((one) => opposites.has(one));
  });

function isOfOnePolarity(agent: Reading, oracle: Reading): boolean {
  if (agent.denials !== oracle.denials) return false;
  if (oracle.denials > 0 && ![...oracle.denied].some((key) => agent.denied.has(key))) return false;
  if (oracle.person !== null && agent.person !== null && oracle.person !== agent.person) return false;
  const isTurned = (a: Reading, b: Reading) => a.person !== null && b.person !== a.person && b.objects.has(a.person);
  if (isTurned(agent, oracle) || isTurned(oracle, agent)) return false;
  // A statement does not replace a question, nor a question a statement; only a request may be a question.
  return oracle.asks ? agent.asks : !agent.asks || oracle.person === null;
}

/** Whether facts of one kind have the oracle's order, since swapping two changes the meaning; within a list the order is free. */
function isInOrder(agent: Reading, oracle: Reading): boolean {
  const kinds = new Set(factsOf(oracle).map(({ kind }) => kind));
  return [...kinds].every((kind) => {
    const wanted = factsOf(oracle).filter((fact) => fact.kind === kind);
    const own = factsOf(agent).filter((fact) => fact.kind === kind);
    const places = wanted.map((fact) =>
      own.findIndex(
        (one) => one.key === fact.key || (kind === 'name' && one.parts.some((part) => fact.parts.includes(part))),
      ),
    );
    const isRepeated = kind !== 'name' && own.length > wanted.length + REPEATS;
    return (
      !isRepeated &&
      places.every((place, at) => {
        const before = places[at - 1];
        return place < 0 || before === undefined || before <= place || wanted[at]?.goesOn === true;
      })
    );
  });
}

/** Whether two words are swapped: the words around the one in the agent's text are those around the other in the oracle's. */
function isExchanged(agent: Reading, oracle: Reading): boolean {
  const once = ({ tokens }: Reading) => {
    const counts = countsOf(tokens.map(({ key }) => key));
    return new Set(tokens.flatMap(({ key }) => (counts.get(key) === 1 ? [key] : [])));
  };
  const [inAgent, inOracle] = [once(agent), once(oracle)];
  const both = [...inOracle].filter((key) => inAgent.has(key));
  return both.some((one, at) =>
    both.slice(at + 1).some((other) => {
      const around = (reading: Reading, key: string) => surroundings(reading, key, [one, other]);
      const alike = (a: string, b: string) => shared(around(agent, a), around(oracle, b));
      return alike(one, other) + alike(other, one) >= alike(one, one) + alike(other, other) + 2;
    }),
  );
}

/** Number of tokens on either side that count as surroundings. */
const SIDE = 2;

function surroundings({ tokens }: Reading, key: string, without: readonly string[]): Set<string> {
  const place = tokens.findIndex((token) => token.key === key);
  const keys = (from: number, to: number, side: string) =>
    tokens
      .slice(Math.max(0, from), to)
      .flatMap((token) => (without.includes(token.key) ? [] : [`${side} ${token.key}`]));
  return new Set([...keys(place - SIDE, place, 'before'), ...keys(place + 1, place + 1 + SIDE, 'after')]);
}

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => [...a].filter((key) => b.has(key)).length;
