// The soft judge: whether the texts of the agent's call mean the same as the oracle's. An engine answers: a model, or a scripted one. Texts
// that differ only in case, accents and punctuation are accepted without it, and two checkers are plain rules.
import { stamp } from '../clock.ts';
import { keyError, typeError } from '../python-error.ts';
import { pythonText } from '../python-text.ts';
import { typeName } from '../python-type.ts';
import { type Arg, type Args, isDict, isList } from '../value.ts';
import { normalise } from './checkers.ts';
import type { SoftChecker } from './registry.ts';

/** Question to an engine. Field names are those of the reference's prompts. */
export interface SoftQuestion {
  readonly checker: SoftChecker;
  readonly toolName: string;
  /** `name: value` lines of the judged arguments. */
  readonly agentCall: string;
  readonly oracleCall: string;
  /** The part of the task that the call serves, if the checker uses it. */
  readonly subtask: string;
  /** The user's task of this turn, and of the turns before. */
  readonly task: string;
  readonly previousTask: string;
  readonly userName: string;
  readonly userAddress: string;
  /** `YYYY-MM-DD Weekday` of the oracle's event. */
  readonly today: string;
}

export interface SoftEngine {
  /** Null without a clear answer, which counts as a rejection. May throw PendingAnswer, and is then called again (answer-book.ts). */
  judge(question: SoftQuestion): boolean | null;
  /** Extracts the part of the task that a call of the oracle serves. */
  subtask(question: { toolName: string; oracleCall: string; task: string }): string;
}

export interface UserDetails {
  readonly name: string;
  readonly address: string;
}

export interface SoftContext {
  readonly toolName: string;
  readonly checkers: readonly SoftChecker[];
  /** Names of the arguments that the soft judge compares. */
  readonly args: readonly string[];
  readonly engine: SoftEngine;
  /** The user's tasks up to this turn. */
  readonly tasks: readonly string[];
  readonly user: UserDetails | null;
  readonly oracleTime: number;
}

const NEEDS_SUBTASK: readonly SoftChecker[] = [
  'content_checker',
  'sanity_checker',
  'user_message_checker',
  'event_checker',
];

export function softlyEqual(agent: Args, oracle: Args, context: SoftContext): boolean {
  const names = context.args.filter((name) => isTruthy(argumentOf(oracle, name)));
  const pick = (args: Args): [string, Arg][] => Object.entries(args).filter(([name]) => names.includes(name));
  const [given, wanted] = [pick(agent), pick(oracle)];
  const isSame = wanted.every(
    ([name, value]) => normalise(pythonText(argumentOf(agent, name))) === normalise(pythonText(value)),
  );
  if (isSame) return true;
  const checkers: readonly SoftChecker[] = context.checkers.length > 0 ? context.checkers : ['content_checker'];
  const [agentCall, oracleCall] = [described(given), described(wanted)];
  const task = context.tasks.at(-1) ?? '';
  const whole = context.tasks.join('\n').trim();
  const needsSubtask = checkers.some((checker) => NEEDS_SUBTASK.includes(checker)) && whole !== '';
  const { toolName, engine, user } = context;
  const question = {
    toolName,
    agentCall,
    oracleCall,
    subtask: needsSubtask ? engine.subtask({ toolName, oracleCall, task: whole }) : '',
    task,
    previousTask: context.tasks.slice(0, -1).join('/n'),
    userName: user?.name ?? '',
    userAddress: user?.address ?? '',
    today: `${stamp(context.oracleTime).slice(0, 10)} ${weekday(context.oracleTime)}`,
  };
  return checkers.every((checker) => {
    if (checker === 'placeholder_checker') return !hasPlaceholder(given);
    if (checker === 'sanity_checker' && /^content: \d+(\.\d+)?$/.test(agentCall)) return true;
    return engine.judge({ ...question, checker }) === true;
  });
}

const argumentOf = (args: Args, name: string): Arg => {
  if (!Object.hasOwn(args, name)) throw keyError(name);
  return args[name] ?? null;
};

const described = (args: readonly (readonly [string, Arg])[]): string =>
  args
    .map(([name, value]) => `${name}: ${pythonText(value)} \n`)
    .join('')
    .trim();

/** Unfilled placeholders, which no person would send. */
const PLACEHOLDERS = [
  "[User's Name]",
  '[User Name]',
  '[User]',
  '[Your Name]',
  '[My Name]',
  'Best regards,\nYour Name',
  'Best,\nYour Name',
];

function hasPlaceholder(args: readonly (readonly [string, Arg])[]): boolean {
  const wrong = args.findIndex(([, value]) => typeof value !== 'string');
  if (wrong >= 0) {
    const found = typeName(args[wrong]?.[1] ?? null);
    throw typeError(`sequence item ${wrong}: expected str instance, ${found} found`);
  }
  const text = args
    .map(([, value]) => value)
    .join(' ')
    .toLowerCase();
  return PLACEHOLDERS.some((placeholder) => text.includes(placeholder.toLowerCase()));
}

const isTruthy = (value: Arg): boolean =>
  isList(value) ? value.length > 0 : isDict(value) ? Object.keys(value).length > 0 : Boolean(value);

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const weekday = (seconds: number): string => WEEKDAYS[new Date(Math.floor(seconds) * 1000).getUTCDay()] as string;
