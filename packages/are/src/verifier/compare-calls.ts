// Compares a call of the agent with a call of the oracle: first its time, then its arguments by rule, then its texts by the soft judge, up
// to the first mismatch.
import { argsOf, type CompletedEvent } from '../events/completed.ts';
import { keyError } from '../python-error.ts';
import type { Arg, Args } from '../value.ts';
import { type Checker, checkHard, checkScripted, isHard, type ScriptedChecker } from './checkers.ts';
import type { Mismatch } from './failures.ts';
import { judgedName } from './judged-events.ts';
import type { OracleEventTiming } from './oracle-run.ts';
import { TOOL_CHECKERS } from './registry.ts';
import { type SoftEngine, softlyEqual, type UserDetails } from './soft.ts';

/** A further check of one argument of an oracle's event. */
interface ScriptedCheck {
  readonly toolName: string;
  readonly argName: string;
  readonly checker: Exclude<Checker, 'llm_checker'>;
  /** Texts that some checkers search for. */
  readonly targets?: readonly string[];
}

export interface VerifierConfig {
  /** Times of delays up to this many seconds are not checked. */
  readonly timeThreshold: number;
  /** Seconds that an event may be early, and late. */
  readonly before: number;
  readonly after: number;
  readonly extraMessages: number;
  /** Checks by the oracle event's id. If given, even if empty, the soft judge is not used. */
  readonly scripted: Readonly<Record<string, readonly ScriptedCheck[]>> | null;
}

export const DEFAULT_CONFIG: VerifierConfig = {
  timeThreshold: 1,
  before: 10,
  after: 25,
  extraMessages: 1,
  scripted: null,
};
/** The time windows of the paper. */
export const PAPER_CONFIG: VerifierConfig = { ...DEFAULT_CONFIG, before: 5 };

export interface CallContext {
  readonly config: VerifierConfig;
  readonly engine: SoftEngine;
  readonly user: UserDetails;
  readonly tasks: readonly string[];
  /** Time of the latest parent (or the start), of the oracle and of the agent. */
  readonly parentTime: { readonly oracle: number; readonly agent: number };
}

/** Null if they match. `oracleArgs`: with placeholders replaced by results of the agent's events. */
export function compareCalls(
  agent: CompletedEvent,
  oracle: OracleEventTiming,
  oracleArgs: Args,
  context: CallContext,
): Mismatch | null {
  const toolName = judgedName(oracle.event);
  if (judgedName(agent) !== toolName || agent.type !== 'AGENT') return { kind: 'tool' };
  const wrongTime = compareTimes(agent.time, oracle, context);
  if (wrongTime) return wrongTime;
  const entry = TOOL_CHECKERS.get(toolName);
  const checkers = Object.entries(entry?.args ?? {});
  const agentArgs = argsOf(agent);
  for (const [name, checker] of checkers) {
    if (!isHard(checker)) continue;
    const isSame = checkHard(checker, need(agentArgs, name), need(oracleArgs, name), [context.user.name]);
    if (!isSame) return { kind: 'argument', name, checker };
  }
  const wrongScripted = compareScripted(toolName, oracle.event.id, agentArgs, oracleArgs, context.config);
  if (wrongScripted) return wrongScripted;
  const soft = checkers.filter(([, checker]) => checker === 'llm_checker').map(([name]) => name);
  if (context.config.scripted !== null || soft.length === 0) return null;
  const isSame = softlyEqual(agentArgs, oracleArgs, {
    toolName,
    checkers: entry?.soft ?? [],
    args: soft,
    engine: context.engine,
    tasks: context.tasks,
    user: context.user,
    oracleTime: oracle.event.time,
  });
  return isSame ? null : { kind: 'text', names: soft };
}

const need = (args: Args, name: string): Arg => {
  if (!Object.hasOwn(args, name)) throw keyError(name);
  return args[name] ?? null;
};

function compareScripted(
  toolName: string,
  oracleId: string,
  agentArgs: Args,
  oracleArgs: Args,
  { scripted }: VerifierConfig,
): Mismatch | null {
  const checks = scripted && Object.hasOwn(scripted, oracleId) ? (scripted[oracleId] ?? []) : [];
  for (const check of checks) {
    if (check.toolName !== toolName) continue;
    const agent = need(agentArgs, check.argName);
    const isRight = isHard(check.checker)
      ? checkHard(check.checker, agent, need(oracleArgs, check.argName))
      : checkScripted(check.checker as ScriptedChecker, agent, check.targets ?? []);
    if (!isRight) return { kind: 'argument', name: check.argName, checker: check.checker };
  }
  return null;
}

/** Times count from the parents, unless the scenario gives an absolute time. The time of a short delay is not checked. */
function compareTimes(time: number, oracle: OracleEventTiming, { config, parentTime }: CallContext): Mismatch | null {
  const isAbsolute = oracle.absolute !== null;
  const wanted = oracle.absolute ?? oracle.event.time - parentTime.oracle;
  const given = isAbsolute ? time : time - parentTime.agent;
  if (!isAbsolute && oracle.comparator === null && !(wanted > config.timeThreshold)) return null;
  const isLate = given > wanted + config.after;
  const isEarly = given < wanted - config.before;
  const isWrong =
    oracle.comparator === 'LESS_THAN' ? isLate : oracle.comparator === 'GREATER_THAN' ? isEarly : isLate || isEarly;
  return isWrong ? { kind: 'time', agent: given, oracle: wanted, comparator: oracle.comparator } : null;
}
