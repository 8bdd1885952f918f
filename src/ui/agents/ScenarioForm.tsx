// Form that chooses the scenario and the agent that plays it.

import { NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import type { FormEvent } from 'react';
import type { OwnAgent } from '../../environments/agents/live.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import {
  canUseTools,
  hasModel,
  PAGE_PARTS,
  PLAYERS,
  type PlayerName,
  WINDOWS,
  type WindowName,
} from '../../lab/protocol/agents.ts';
import { AGENT_WORDS, PART_WORDS } from '../../store/agents/words.ts';
import type { NumberField } from '../../store/form/number-fields.ts';
import { loadedModel } from '../../store/lab-state.ts';
import { useLab } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField, plainOptions } from '../parts/Choice.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { DocLink } from '../parts/links.tsx';
import { NumberInput } from '../parts/NumberInput.tsx';
import { PlaceLink } from '../parts/PlaceLink.tsx';
import { ServerFields, ToolServerField } from './ServerFields.tsx';
import { are, useAre } from './use-are.ts';

/** Number of scenarios in a series. */
const SERIES = 8;

export function ScenarioForm() {
  const form = useAre((state) => state.form);
  const isRunning = useAre((state) => state.status === 'running');
  const left = useAre((state) => state.left);
  const isReading = useAre((state) => state.isReading);
  const isStale = useAre(({ form: { split, seed, index, isSmall, part }, scenario }) => {
    const shown = scenario?.generated;
    return shown
      ? shown.split !== split ||
          shown.seed !== seed ||
          shown.index !== index ||
          shown.isSmall !== isSmall ||
          shown.part !== part
      : false;
  });

  const choice = <K extends 'split' | 'part' | 'window' | 'noise'>(
    name: K,
    label: string,
    options: readonly (readonly [(typeof form)[K], string])[],
    help?: string,
  ) => (
    <ChoiceField
      {...{ label, options, help }}
      value={form[name]}
      onChange={(value) => are.setForm({ [name]: value })}
    />
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isReading && !isRunning) void are.run();
  }

  return (
    <form className="are-form" onSubmit={submit}>
      <fieldset className="are-group">
        <legend>Scenario</legend>
        <div className="are-fields">
          {choice('split', 'Split', plainOptions(SPLITS))}
          {choice(
            'part',
            'Tasks',
            PAGE_PARTS.map((part) => [part, PART_WORDS[part]] as const),
          )}
          <FormNumber name="seed" />
          <FormNumber name="index" />
          <label className="are-check">
            <input
              type="checkbox"
              checked={form.isSmall}
              onChange={({ target }) => are.setForm({ isSmall: target.checked })}
            />
            Small universe
          </label>
        </div>
        <div className="are-actions">
          <Button label="Generate" isLarge onClick={() => void are.generate()} />
          <FileButton
            label="Open a file"
            what="A scenario or trace (are_simulation_v1)"
            accept=".json,application/json"
            onFiles={([file]) => file && void are.openFile(file)}
          />
          <span className="help">
            {isStale
              ? 'The form no longer matches the scenario below. Press Generate.'
              : 'or drop an are_simulation_v1 file on this view.'}
          </span>
        </div>
      </fieldset>
      <fieldset className="are-group">
        <legend>Agent</legend>
        <div className="are-fields">
          <ChoiceField
            label="Who acts"
            value={form.agent}
            options={PLAYERS.map((name) => [name, AGENT_WORDS[name]] as const)}
            onChange={(agent) =>
              are.setForm({ agent, ...(agent in EMBEDDED && { temperature: EMBEDDED[agent as OwnAgent].temperature }) })
            }
          />
          <FormNumber name="agentSeed" />
          {choice('window', 'Time window', WINDOW_OPTIONS)}
          <FormNumber name="maxSteps" />
          {choice('noise', 'Noise', plainOptions(NOISE_LEVELS), 'Messages that arrive, calls that fail.')}
          <FormNumber name="a2a" />
          {hasModel(form.agent) ? <FormNumber name="temperature" /> : null}
          {form.agent === 'react-endpoint' ? <ServerFields /> : null}
          {canUseTools(form.agent) ? <ToolServerField /> : null}
        </div>
        {form.a2a > 0 && !hasModel(form.agent) ? (
          <p className="help">Experts answer only agents that have a model.</p>
        ) : null}
        {hasModel(form.agent) ? <AboutModel agent={form.agent} /> : null}
        <div className="are-actions">
          <Button icon="play" label="Run" isLarge tone="primary" type="submit" disabled={isReading || isRunning} />
          <Button
            label={`Play the next ${SERIES}`}
            isLarge
            disabled={isRunning || left > 0}
            onClick={() => void are.runSeries(SERIES)}
            title="Generates and plays the next numbers of the split"
          />
          <Button icon="stop" label="Stop" isLarge disabled={!isRunning && !isReading} onClick={are.stop} />
          <span className="muted" role="status">
            {left > 0 ? `${left} of ${SERIES} left …` : isRunning ? 'Running …' : isReading ? 'Reading …' : <Outcome />}
          </span>
        </div>
      </fieldset>
    </form>
  );
}

type NumberName = 'seed' | 'index' | 'agentSeed' | 'maxSteps' | 'a2a' | 'temperature';

const SEED = { min: 0, max: 1_000_000, step: 1 };
const NUMBERS: Readonly<Record<NumberName, Omit<NumberField<NumberName>, 'name'>>> = {
  seed: { ...SEED, label: 'Seed', help: 'Fixes people, mails and dates.' },
  index: { ...SEED, label: 'Number', help: 'Templates take turns.' },
  agentSeed: { ...SEED, label: 'Agent’s seed', help: 'Fixes its mistakes and its sampling.' },
  maxSteps: { label: 'Actions', help: 'Most actions in all turns.', min: 1, max: 10_000, step: 1 },
  a2a: {
    label: 'Apps of experts',
    help: 'Share of apps that another agent operates. 0: none.',
    min: 0,
    max: 1,
    step: 0.1,
  },
  temperature: { label: 'Temperature', help: '0: greedy.', min: 0, max: 2, step: 0.1 },
};

function FormNumber({ name }: { name: NumberName }) {
  const value = useAre((state) => state.form[name]);
  return <NumberInput {...NUMBERS[name]} value={value} onChange={(number) => are.setForm({ [name]: number })} />;
}

const WINDOW_OPTIONS = (Object.keys(WINDOWS) as WindowName[]).map((name) => {
  const { before, after } = WINDOWS[name];
  return [name, `−${before} / +${after} s${name === 'paper' ? ' (paper)' : ''}`] as const;
});

/** The outcome of the shown run is beside the button that started it, because the verdict is far below. */
function Outcome() {
  const status = useAre((state) => state.status);
  const success = useAre((state) => state.played?.verdict.success ?? null);
  if (success === null) return status === 'stopped' ? 'Stopped.' : null;
  return (
    <>
      <span className={`tag ${success ? 'good' : 'bad'}`}>{success ? 'passed' : 'failed'}</span>{' '}
      <PlaceLink id="verdict" label="See the verdict" className="btn small" />
    </>
  );
}

/** Training data of each embedded agent, and its default temperature. */
const EMBEDDED: Readonly<Record<OwnAgent, { on: string; temperature: number }>> = {
  'tiny-agent': { on: 'small universes of the execution split', temperature: 1 },
  'tiny-agent-forms': { on: 'composed forms in small universes', temperature: 0 },
};

function AboutModel({ agent }: { agent: PlayerName }) {
  const model = useLab(loadedModel);
  const isBusy = useLab((state) => state.busy);
  const onnx = useAre((state) => state.form.onnx);
  if (agent === 'react-endpoint')
    return <p className="help">Runs on your server, which must allow this page (CORS).</p>;
  if (agent === 'react-onnx')
    return (
      <div>
        <div className="are-actions">
          <FileButton
            label="Choose the model’s files"
            what="Files of an ONNX model"
            accept=".onnx,.onnx_data,.json,.jinja"
            multiple
            onFiles={are.chooseOnnx}
          />
          <span className="muted">{onnx.length === 0 ? 'none chosen' : onnx.join(', ')}</span>
        </div>
        <p className="help">config.json, tokenizer.json, tokenizer_config.json, .onnx (and .onnx_data).</p>
      </div>
    );
  if (isBusy) return <p className="callout warn">An experiment is training. The model is free when it ends.</p>;
  if (agent in EMBEDDED)
    return (
      <p className="help">
        Embedded, under 1 MB. Trained on {EMBEDDED[agent as OwnAgent].on}. Pass rates:{' '}
        <DocLink path="docs/lab-book/agents.md" />
      </p>
    );
  const isOwn = model === null || EMBEDDED_MODELS.includes(model.id);
  return (
    <p className="help">
      {isOwn
        ? 'No third-party model is loaded, and the embedded ones cannot read this agent’s prompts. Load one under Library, Models.'
        : `${model.id} thinks and acts in turns, on this device.`}
    </p>
  );
}
