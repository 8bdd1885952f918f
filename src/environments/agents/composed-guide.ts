// Who shows how composed forms are done: does what the oracle does, and first finds out what the oracle knows without having been told;
// reads what has come before it acts on it; waits once for what happens, and whole minutes for a time.
import { OracleAgent, type Tampering } from '@projected-grpo-lab/are/agents/scripted.ts';
import type { AgentAction, AgentView } from '@projected-grpo-lab/are/agents/types.ts';
import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { type CompactCall, encodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { type Arg, isDict, isList } from '@projected-grpo-lab/are/value.ts';
import { Finder } from './finder.ts';
import type { Speaker } from './play.ts';
import { stagedOf } from './task.ts';
import type { AgentTask } from './types.ts';

const MINUTE = 60;
/** Until something happens, whenever that is. */
const LONG = 10 * MINUTE;
/** The oracle looks this often whether something has happened that nothing tells of. */
const GLANCE = 5;

export function composedGuideOf(task: AgentTask, tamper?: Tampering): Speaker {
  const { trace, oracle } = stagedOf(task);
  const inner = new OracleAgent(makeScenario(atOnce(trace), APP_CLASSES).events, oracle, tamper);
  const finder = new Finder(trace);
  let pending: CompactCall | null = null;
  let reading: CompactCall | null = null;
  let seen = '';
  return ({ view, book, shown }) => {
    seen += shown;
    reading ??= arrived(view);
    const read = reading;
    if (pending === null) {
      const { action }: { action: AgentAction } = inner.act(view);
      if (action.kind === 'idle') return null;
      pending = unhurried(action);
    }
    const isWait = pending.tool === 'wait_for_notification';
    if (read && !isWait) {
      reading = null;
      return encodeAction(read, book, view.apps);
    }
    const texts = Object.values(pending.args).flatMap(textsOf);
    const found = finder.next(
      texts.flatMap((text) => finder.namedIn(text, book)),
      book,
      seen,
    );
    if (found) return encodeAction(found, book, view.apps);
    const call = pending;
    pending = null;
    return encodeAction(call, book, view.apps);
  };
}

/** What may be done up to a time is done at once. */
const atOnce = (trace: Trace): Trace => ({
  ...trace,
  events: trace.events.map((event) =>
    event.event_time_comparator === 'LESS_THAN' ? { ...event, event_relative_time: 1 } : event,
  ),
});

/** Waits in whole minutes, which a text can name. */
function unhurried({ app, tool, args }: CompactCall): CompactCall {
  const { timeout } = args;
  if (tool !== 'wait_for_notification' || typeof timeout !== 'number') return { app, tool, args };
  return { app, tool, args: { timeout: timeout <= GLANCE ? LONG : MINUTE * Math.ceil(timeout / MINUTE) } };
}

/** The call that reads what has just come: a mail, or a message in a chat. */
function arrived({ messages }: AgentView): CompactCall | null {
  for (const { kind, text } of messages) {
    if (kind === 'USER_MESSAGE') continue;
    if (text.includes('New email received')) return { app: 'Emails', tool: 'get_email_by_index', args: { idx: 0 } };
    const [, conversation_id] = /conversation ID: ([0-9a-f]{32})/.exec(text) ?? [];
    if (conversation_id) return { app: 'Chats', tool: 'read_conversation', args: { conversation_id } };
  }
  return null;
}

function textsOf(value: Arg): string[] {
  if (typeof value === 'string') return [value];
  if (isList(value)) return value.flatMap(textsOf);
  return isDict(value) ? Object.values(value).flatMap(textsOf) : [];
}
