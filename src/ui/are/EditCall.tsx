// A call of the agent's, made otherwise: which tool, with what arguments, and the thought before it. From there the agent goes on.

import { argJson } from '@projected-grpo-lab/are/agents/arg-json.ts';
import { pythonRepr } from '@projected-grpo-lab/are/python-text.ts';
import type { App } from '@projected-grpo-lab/are/types.ts';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { type CallEdit, refusal } from '../../store/are/edits.ts';
import type { CallEntry } from '../../store/are/entries.ts';
import type { PlayedRun } from '../../store/are/play.ts';
import { are, useAre } from './use-are.ts';

export function EditCall({ entry }: { entry: CallEntry }) {
  const played = useAre((state) => state.played);
  const [isOpen, setOpen] = useState(false);
  if (!played || entry.act === null) return null;
  if (!isOpen) {
    return (
      <button type="button" className="btn small are-edit" onClick={() => setOpen(true)}>
        Go back to here and do otherwise
      </button>
    );
  }
  return <EditForm entry={entry} act={entry.act} played={played} onClose={() => setOpen(false)} />;
}

interface EditFormProps {
  entry: CallEntry;
  act: number;
  played: PlayedRun;
  onClose: () => void;
}

function EditForm({ entry, act, played, onClose }: EditFormProps) {
  const { apps } = played.environment;
  const tools = useMemo(() => apps.flatMap(toolNames), [apps]);
  const [call, setCall] = useState<CallEdit>(() => editOf(entry, act, played));
  const id = useId();
  const problem = problemIn(apps, call);
  const tool = apps.find(({ name }) => name === call.app)?.tool(call.tool);

  function submit(event: FormEvent): void {
    event.preventDefault();
    onClose();
    void are.amend(call);
  }

  return (
    <form className="are-edit" onSubmit={submit}>
      <div className="field">
        <label htmlFor={`${id}-tool`}>Tool</label>
        <select
          id={`${id}-tool`}
          value={`${call.app}.${call.tool}`}
          onChange={({ target }) => {
            const [app = '', name = ''] = splitName(target.value);
            setCall({ ...call, app, tool: name });
          }}
        >
          {tools.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-args`}>Arguments, as JSON</label>
        <textarea
          id={`${id}-args`}
          className="mono"
          rows={Math.min(14, call.args.split('\n').length + 1)}
          value={call.args}
          spellCheck={false}
          aria-describedby={`${id}-takes`}
          onChange={({ target }) => setCall({ ...call, args: target.value })}
        />
        <p className="help" id={`${id}-takes`}>
          {tool && tool.params.length > 0
            ? `It takes ${tool.params.map(paramText).join(', ')}.`
            : 'It takes no arguments.'}
        </p>
      </div>
      <div className="field">
        <label htmlFor={`${id}-thought`}>Thought</label>
        <textarea
          id={`${id}-thought`}
          rows={2}
          value={call.thought}
          onChange={({ target }) => setCall({ ...call, thought: target.value })}
        />
      </div>
      {problem ? (
        <p className={`callout ${problem.isFatal ? 'bad' : 'warn'}`} role="status">
          {problem.text}
        </p>
      ) : null}
      <div className="are-actions">
        <button type="submit" className="btn primary" disabled={problem?.isFatal}>
          Go on from here
        </button>
        <button type="button" className="btn" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  );
}

const toolNames = (app: App): string[] =>
  app.tools.filter(({ roles }) => roles.includes('agent')).map(({ name }) => `${app.name}.${name}`);

/** An app's name may have dots, a tool's has none. */
function splitName(name: string): [string, string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

const paramText = ({ name, type, default: usual }: App['tools'][number]['params'][number]): string =>
  `${name}: ${type}${usual === undefined ? '' : ` = ${pythonRepr(usual)}`}`;

/** As it was made: an edited call stands in the recipe as it was written. */
function editOf({ app, tool, thought }: CallEntry, act: number, { recipe, run }: PlayedRun): CallEdit {
  const known = recipe.edits.find(({ at }) => at === act);
  if (known) return known;
  const made = run.acts[act]?.action;
  return { at: act, app, tool, args: argJson(made?.kind === 'call' ? made.args : {}), thought: thought ?? '' };
}

function problemIn(apps: readonly App[], call: CallEdit): { text: string; isFatal: boolean } | null {
  try {
    const text = refusal(apps, call);
    return text === null ? null : { text: `The tool will refuse this: ${text}`, isFatal: false };
  } catch (error) {
    return { text: (error as Error).message, isFatal: true };
  }
}
