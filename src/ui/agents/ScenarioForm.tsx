// Which scenario, and who plays it.

import { NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import type { FormEvent } from 'react';
import type { OwnAgent } from '../../environments/agents/live.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/spec.ts';
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

/** Scenarios of a series. */
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

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isReading && !isRunning) void are.run();
  }

  return (
    <form className="are-form" onSubmit={submit}>
      <fieldset className="are-group">
        <legend>Scenario</legend>
        <div className="are-fields">
          <ChoiceField
            label="Split"
            value={form.split}
            options={plainOptions(SPLITS)}
            onChange={(split) => are.setForm({ split })}
          />
          <ChoiceField
            label="Tasks"
            value={form.part}
            options={PAGE_PARTS.map((part) => [part, PART_WORDS[part]] as const)}
            onChange={(part) => are.setForm({ part })}
          />
          <NumberInput
            {...{ label: 'Seed', value: form.seed, min: 0, max: 1_000_000, step: 1 }}
            help="Fixes people, mails and dates."
            onChange={(seed) => are.setForm({ seed })}
          />
          <NumberInput
            {...{ label: 'Number', value: form.index, min: 0, max: 1_000_000, step: 1 }}
            help="Templates take turns."
            onChange={(index) => are.setForm({ index })}
          />
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
          <NumberInput
            {...{ label: 'Agent’s seed', value: form.agentSeed, min: 0, max: 1_000_000, step: 1 }}
            help="Fixes its mistakes and its sampling."
            onChange={(agentSeed) => are.setForm({ agentSeed })}
          />
          <ChoiceField
            label="Time window"
            value={form.window}
            options={(Object.keys(WINDOWS) as WindowName[]).map((name) => [name, windowWords(name)] as const)}
            onChange={(window) => are.setForm({ window })}
          />
          <NumberInput
            {...{ label: 'Actions', value: form.maxSteps, min: 1, max: 10_000, step: 1 }}
            help="Most actions in all turns."
            onChange={(maxSteps) => are.setForm({ maxSteps })}
          />
          <ChoiceField
            label="Noise"
            value={form.noise}
            options={plainOptions(NOISE_LEVELS)}
            help="Messages that arrive, calls that fail."
            onChange={(noise) => are.setForm({ noise })}
          />
          <NumberInput
            {...{ label: 'Apps of experts', value: form.a2a, min: 0, max: 1, step: 0.1 }}
            help="Share of apps that another agent operates. 0: none."
            onChange={(a2a) => are.setForm({ a2a })}
          />
          {hasModel(form.agent) ? (
            <NumberInput
              {...{ label: 'Temperature', value: form.temperature, min: 0, max: 2, step: 0.1 }}
              help="0: greedy."
              onChange={(temperature) => are.setForm({ temperature })}
            />
          ) : null}
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

/** How the run on show ended, beside what started it: the verdict is far below. */
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

/** What each was trained on, and its temperature there; a person may take another. */
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

const windowWords = (name: WindowName): string => {
  const { before, after } = WINDOWS[name];
  return `−${before} / +${after} s${name === 'paper' ? ' (paper)' : ''}`;
};
