// Form for a question: the prompt, the adapter parameters that answer, and how answers are sampled.
import { type FormEvent, useId } from 'react';
import { MODES, type ProblemMode } from '../../environments/code/types.ts';
import type { ModelReport } from '../../lab/protocol/reports.ts';
import { loadedModel } from '../../store/lab-state.ts';
import { playModelName } from '../../store/playground/asked-run.ts';
import { askFields, modelsOf, PLAY_KINDS, type PlayKind } from '../../store/playground/playground.ts';
import { useLab, usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Chips, ChoiceField } from '../parts/Choice.tsx';
import { NumberFields } from '../parts/NumberInput.tsx';
import { TextField } from '../parts/TextField.tsx';
import { ProblemChoice } from './ProblemChoice.tsx';
import { Steering } from './Steering.tsx';

export function AskForm() {
  const playground = usePlaygroundActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const busy = useLab((state) => state.busy);
  const model = useLab(loadedModel);
  const form = usePlayground((state) => state.form);
  const writing = usePlayground((state) => state.writing !== null);
  const hasBegun = usePlayground((state) => state.columns.some(({ tokens }) => tokens.length > 0));
  const columns = usePlayground((state) => state.columns.length);
  const id = useId();
  const kinds = PLAY_KINDS.filter((kind) => kind !== 'chat' || model?.hasChatTemplate !== false);
  const canAsk = ready && !writing && (form.kind === 'problem' ? form.problemId !== '' : form.text.trim() !== '');

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (canAsk) void playground.generate();
  }

  function choose(kind: PlayKind): void {
    playground.clear();
    playground.setForm({ kind });
  }

  return (
    <form className="ask wide" onSubmit={submit}>
      <Chips
        legend="What to ask"
        options={kinds.map((kind) => [kind, KIND_WORDS[kind]] as const)}
        value={form.kind}
        onChange={choose}
        disabled={writing}
      />
      {form.kind === 'problem' ? (
        <ProblemChoice modes={['honest', ...MODES] satisfies ProblemMode[]} />
      ) : (
        <div className="field">
          <label htmlFor={`${id}-text`}>{form.kind === 'chat' ? 'Message' : 'Text'}</label>
          <textarea
            id={`${id}-text`}
            rows={3}
            value={form.text}
            aria-describedby={`${id}-text-help`}
            onChange={(event) => playground.setForm({ text: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
          />
          <p className="help" id={`${id}-text-help`}>
            Ctrl + Enter asks. {textHelp(form.kind, model)}
          </p>
        </div>
      )}
      <div className="ask-how">
        <div className="ask-settings">
          <RunChoice />
          <Steering />
          <NumberFields fields={askFields(model)} values={form} onChange={playground.setForm} />
          {form.kind === 'chat' ? (
            <TextField
              label="Template arguments"
              value={form.chatArgs}
              help={'JSON, as {"enable_thinking": false}.'}
              onChange={(chatArgs) => playground.setForm({ chatArgs })}
            />
          ) : null}
        </div>
        <label className="check ask-greedy">
          <input
            type="checkbox"
            checked={form.temperature === 0}
            onChange={(event) => playground.setForm({ temperature: event.target.checked ? 0 : 1 })}
          />
          <span>Greedy: always the likeliest token</span>
        </label>
        <div className="ask-actions">
          <Button icon="play" label="Generate" isLarge tone="primary" type="submit" disabled={!canAsk} />
          <Button icon="stop" label="Stop" isLarge disabled={!writing} onClick={() => void playground.stop()} />
          {form.kind === 'chat' && columns > 0 ? (
            <Button label="New conversation" isLarge tone="quiet" disabled={writing} onClick={playground.clear} />
          ) : null}
          <span className="muted" role="status">
            {!writing ? '' : busy && !hasBegun ? 'Waits for the end of a step …' : 'Writing …'}
          </span>
        </div>
      </div>
    </form>
  );
}

const KIND_WORDS: Readonly<Record<PlayKind, string>> = {
  problem: 'Try a problem',
  chat: 'Chat',
  text: 'Continue a text',
};

function textHelp(kind: PlayKind, model: ModelReport | null): string {
  const markup = kind === 'chat' ? 'The model’s chat template is applied.' : 'The model continues the text as it is.';
  if (model && !model.isOwn) {
    const { undone } = model.defaults;
    return undone.length > 0 ? `${markup} Its setting for ${undone.join(', ')} is not applied.` : markup;
  }
  return `${markup} Embedded model: trained on one-line Python problems only, so ask for one.`;
}

function RunChoice() {
  const playground = usePlaygroundActions();
  const runs = usePlayground((state) => state.runs);
  const runId = usePlayground((state) => state.form.runId);
  const steer = usePlayground((state) => state.form.steer);
  const run = runs?.find((entry) => entry.runId === runId) ?? null;
  return (
    <ChoiceField
      label="Kept run"
      className="run-choice"
      value={runId ?? ''}
      options={[['', 'none: the base alone'], ...(runs ?? []).map((one) => [one.runId, one.words] as const)]}
      onChange={(chosen) => {
        playground.clear();
        // The direction may belong to the previously chosen run.
        playground.setForm({ runId: chosen || null, steer: '' });
      }}
      help={
        <>
          Answers:{' '}
          {modelsOf(run, steer)
            .map((model) => playModelName(model, run))
            .join('; ')}
          .{run && !run.hasQuarantine ? ' This arm has no quarantine, so what is deployed is what was trained.' : ''}
        </>
      }
    />
  );
}
