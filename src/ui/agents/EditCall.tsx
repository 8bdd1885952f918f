// Form that edits a call of the agent: its tool, its arguments, and the thought before it. The agent continues from the edited call.

import { type FormEvent, useId, useState } from 'react';
import { argsIn } from '../../lab/agents/edits.ts';
import type { CallEdit, CallEntry, CallText, PlayedRun } from '../../lab/protocol/agents.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField, plainOptions } from '../parts/Choice.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { are, useAre } from './use-are.ts';

export function EditCall({ entry }: { entry: CallEntry }) {
  const played = useAre((state) => state.played);
  const [isOpen, setOpen] = useState(false);
  if (!played || entry.act === null) return null;
  if (!isOpen) {
    return <Button label="Change this call" className="are-edit" onClick={() => setOpen(true)} />;
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
  const { tools } = played;
  const [call, setCall] = useState<CallEdit>(() => editOf(entry, act, played));
  const id = useId();
  const problem = useProblem(call);
  const takes = tools.find(({ app, tool }) => app === call.app && tool === call.tool)?.takes ?? '';

  function submit(event: FormEvent): void {
    event.preventDefault();
    onClose();
    void are.amend(call);
  }

  return (
    <form className="are-edit" onSubmit={submit}>
      <ChoiceField
        label="Tool"
        value={`${call.app}.${call.tool}`}
        options={plainOptions(tools.map(({ app, tool }) => `${app}.${tool}`))}
        onChange={(chosen) => {
          const [app = '', name = ''] = splitName(chosen);
          setCall({ ...call, app, tool: name });
        }}
      />
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
          {takes === '' ? 'It takes no arguments.' : `It takes ${takes}.`}
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
        <Button label="Continue from here" isLarge tone="primary" type="submit" disabled={problem?.isFatal} />
        <Button label="Cancel" isLarge onClick={onClose} />
      </div>
    </form>
  );
}

/** Splits at the last dot, because an app's name may contain dots and a tool's name cannot. */
function splitName(name: string): [string, string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** The call as it was made, or as it was last edited. */
function editOf({ app, tool, thought }: CallEntry, act: number, { recipe, acts }: PlayedRun): CallEdit {
  const known = recipe.edits.find(({ at }) => at === act);
  return known ?? { at: act, app, tool, args: acts[act]?.args ?? '{}', thought: thought ?? '' };
}

interface CallProblem {
  text: string;
  isFatal: boolean;
}

/** Invalid argument text is detected here. The worker, which has the tools, decides whether the tool refuses the call. */
function useProblem({ app, tool, args }: CallEdit): CallProblem | null {
  const unreadable = unreadableIn(args);
  const refused = useLoaded(
    async () => (unreadable === null ? refusalOf({ app, tool, args, thought: '' }) : null),
    JSON.stringify([app, tool, args]),
  );
  return unreadable === null ? (refused ?? null) : { text: unreadable, isFatal: true };
}

const refusalOf = (call: CallText): Promise<CallProblem | null> =>
  are.refusal(call).then(
    (why) => (why === null ? null : { text: `The tool will refuse this: ${why}`, isFatal: false }),
    (error: Error) => ({ text: error.message, isFatal: true }),
  );

function unreadableIn(args: string): string | null {
  try {
    argsIn(args);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
