// Makes the one mistake of the oracle-mistake control, which otherwise acts as the oracle: one argument of an action is wrong, or the
// action is left out if no rule checks any of its arguments.
import type { OracleEvent } from '../events/types.ts';
import { type Arg, isList } from '../value.ts';
import type { Checker } from '../verifier/checkers.ts';
import { judgedName } from '../verifier/judged-events.ts';
import type { Oracle } from '../verifier/oracle-run.ts';
import { TOOL_CHECKERS } from '../verifier/registry.ts';
import { seededDraws } from '../world.ts';
import type { Tampering } from './scripted.ts';

interface Mistake {
  readonly tamper: Tampering;
  /** Description for a person. */
  readonly what: string;
}

/** Makes one mistake; if the oracle only answers the user, a wrong answer. Null if it does not even answer. */
export function oneMistake(oracle: Oracle, seed: number): Mistake | null {
  const actions = oracle.turns.flat().filter(({ event }) => event.type === 'AGENT' && !isMessage(judgedName(event)));
  const draws = seededDraws(seed, 'mistake');
  const chosen = actions[draws.randint(0, actions.length - 1)]?.event;
  if (!chosen) return wrongAnswer(oracle);
  const checkers = Object.entries(TOOL_CHECKERS.get(judgedName(chosen))?.args ?? {});
  const found = checkers.find(([name, checker]) => wrongValue(checker, chosen.action?.args[name] ?? null) !== null);
  const isChosen = ({ id }: OracleEvent) => id === chosen.id;
  if (!found) {
    return { what: `${chosen.id} is left out`, tamper: (event, args) => (isChosen(event) ? null : args) };
  }
  const [name, checker] = found;
  return {
    what: `${chosen.id} has another ${name}`,
    tamper: (event, args) => (isChosen(event) ? { ...args, [name]: wrongValue(checker, args[name] ?? null) } : args),
  };
}

function wrongAnswer(oracle: Oracle): Mistake | null {
  const answer = oracle.turns.flat().find(({ event }) => isMessage(judgedName(event)))?.event;
  if (!answer) return null;
  return {
    what: `${answer.id} says something else`,
    tamper: (event, args) => (event.id === answer.id ? { ...args, content: 'Nothing could be found.' } : args),
  };
}

const isMessage = (name: string): boolean => name === 'AgentUserInterface__send_message_to_user';

/** A value that the tool accepts and the checker rejects; null if none is known. */
function wrongValue(checker: Checker, value: Arg): Arg {
  switch (checker) {
    case 'unordered_list_checker':
      return isList(value) && value.length > 0 && typeof value[0] === 'string' && value[0].includes('@')
        ? ['nobody@example.org', ...value.slice(1)]
        : null;
    case 'list_attendees_checker':
      return isList(value) && value.length > 0 ? ['Somebody Else'] : null;
    case 'datetime_checker':
      // A year later is valid for an end, while a start may then be after its end.
      return typeof value === 'string' ? value.replace(/\d{4}/, (year) => String(Number(year) + 1)) : null;
    case 'eq_str_strip_checker':
      return typeof value === 'string' && value !== '' ? `${value}x` : null;
    case 'phone_number_checker':
      return typeof value === 'string' && /\d/.test(value) ? `${value}1` : null;
    default:
      return null;
  }
}
