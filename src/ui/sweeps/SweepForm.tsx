// The sweep's form: the settings that its runs share, its axes, and its size before it starts.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { useEffect, useId, useState } from 'react';
import { armLabel } from '../../experiments/analysis/names.ts';
import { ARM_NAMES } from '../../experiments/config/arms.ts';
import { experimentOf } from '../../experiments/config/experiment-of.ts';
import { PRESET_NAMES, type RunSpec } from '../../experiments/config/run-spec.ts';
import { DEVICE_CHOICES } from '../../experiments/config/spec.ts';
import { metricsOf } from '../../experiments/environments/registry.ts';
import { runCost } from '../../experiments/runs/cost.ts';
import { idleOptions, type SweepPlan, sizeOf } from '../../experiments/sweep/plan.ts';
import type { RunEstimate } from '../../lab/protocol/protocol.ts';
import { bytesText, duration } from '../../lib/numbers.ts';
import { AXIS_NAMES, encodeSweep, listOf, type SweepDraft } from '../../store/sweeps/draft.ts';
import { useLab, useLabActions, useSweepActions, useSweeps } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField, Options, plainOptions } from '../parts/Choice.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Problem } from '../parts/Problem.tsx';
import { useViewLink } from '../parts/view-link.ts';

/** Arms by the names that charts use. */
const ARM_OPTIONS = ARM_NAMES.map((arm) => [arm, armLabel(arm)] as const);

type TextName = { [K in keyof SweepDraft]: SweepDraft[K] extends string ? K : never }[keyof SweepDraft];

function TextField({ name, label, rows, help }: { name: TextName; label: string; rows?: number; help?: string }) {
  const id = useId();
  const actions = useSweepActions();
  const value = useSweeps((state) => state.draft[name]);
  const common = {
    id,
    value,
    spellCheck: false,
    'aria-describedby': help ? `${id}-help` : undefined,
    onChange: (event: { target: { value: string } }) => actions.set({ [name]: event.target.value }),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows ? <textarea rows={rows} {...common} /> : <input type="text" {...common} />}
      {help ? (
        <p id={`${id}-help`} className="muted">
          {help}
        </p>
      ) : null}
    </div>
  );
}

interface DraftChoiceProps {
  name: TextName;
  label: string;
  options: readonly (readonly [string, string])[];
}

function DraftChoice({ name, label, options }: DraftChoiceProps) {
  const actions = useSweepActions();
  const value = useSweeps((state) => state.draft[name]);
  return <ChoiceField {...{ label, value, options }} onChange={(chosen) => actions.set({ [name]: chosen })} />;
}

export function SweepForm() {
  const actions = useSweepActions();
  const { plan, problem } = useSweeps((state) => state.check);
  const search = useSweeps((state) => state.draft.search);
  const work = useSweeps((state) => state.work);
  const isReady = useLab((state) => state.connection.status === 'ready');
  const environment = plan?.configurations[0].rungs[0][0].spec.environment;
  const metrics = environment ? metricsOf(environment).map(({ id }) => id) : [];
  const isSweepOfForm = work !== null && plan !== null && JSON.stringify(work.plan.spec) === JSON.stringify(plan.spec);
  useViewLink(async () => plan && { href: await linkOfSweep(plan), carries: 'the sweep of the form', needs: '' });
  const hasBegun = isSweepOfForm && work.runs.length > 0;
  const isOver = hasBegun && work.runs.every(({ status }) => status === 'done' || status === 'set apart');
  return (
    <>
      <div className="sweep-fields">
        <TextField name="name" label="Name" />
        <DraftChoice name="preset" label="Preset" options={plainOptions(PRESET_NAMES)} />
        <DraftChoice name="arm" label="Arm" options={[['', 'the preset’s first'], ...ARM_OPTIONS]} />
        <DraftChoice name="device" label="Device" options={plainOptions(DEVICE_CHOICES)} />
        <TextField name="seeds" label="Seeds" />
        <DraftChoice
          name="metric"
          label="Ranked by"
          options={[['', 'the environment’s first metric'], ...plainOptions(metrics)]}
        />
        <DraftChoice
          name="model"
          label="Model"
          options={[
            ['total', 'in training'],
            ['deployed', 'routed, quarantine removed'],
          ]}
        />
        <DraftChoice
          name="search"
          label="Configurations"
          options={[
            ['grid', 'the whole grid'],
            ['random', 'drawn at random'],
            ['halving', 'successive halving'],
          ]}
        />
        {search === 'grid' ? null : <TextField name="count" label="Number of configurations" />}
        {search === 'halving' ? <TextField name="firstSteps" label="Steps of the first rung" /> : null}
      </div>
      <Axes />
      <div className="sweep-fields">
        <TextField name="overrides" label="Options that all runs share" rows={3} help="One per line: steps=25" />
        <TextField
          name="constraints"
          label="Constraints"
          rows={3}
          help="One per line, a number or an option: k <= pairs"
        />
      </div>
      <Problem problem={problem} />
      {plan ? <Plan plan={plan} /> : null}
      <div className="sweep-actions">
        {work?.isAtWork ? (
          <Button label="Stop the sweep" isLarge tone="primary" onClick={() => void actions.stop()} />
        ) : (
          <Button
            label={isOver ? 'Finished' : hasBegun ? 'Resume the sweep' : 'Run the sweep'}
            isLarge
            tone="primary"
            disabled={!plan || !isReady || isOver}
            onClick={() => void actions.run()}
          />
        )}
        {plan ? <CopyLink plan={plan} /> : null}
        {plan ? (
          <DownloadButton label="sweep.json" file="sweep.json" text={() => `${JSON.stringify(plan.spec, null, 2)}\n`} />
        ) : null}
        <FileButton
          label="Open a file"
          what="Sweep file"
          accept=".json"
          onFiles={([file]) => void actions.read(file)}
        />
      </div>
    </>
  );
}

function Axes() {
  const actions = useSweepActions();
  const axes = useSweeps((state) => state.draft.axes);
  const set = (i: number, changes: Partial<SweepDraft['axes'][number]>) =>
    actions.set({ axes: axes.map((axis, at) => (at === i ? { ...axis, ...changes } : axis)) });
  return (
    <fieldset className="sweep-axes">
      <legend>Axes</legend>
      {axes.map((axis, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: axes are identified by their place; an axis's option may change
        <div key={i} className="sweep-axis">
          <select
            aria-label={`Option of axis ${i + 1}`}
            value={axis.option}
            onChange={({ target: { value: option } }) => {
              // Arms are chosen from a list, and other values are typed.
              const isOther = (option === 'arm') !== (axis.option === 'arm');
              set(i, { option, values: isOther ? '' : axis.values });
            }}
          >
            {AXIS_NAMES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {axis.option === 'arm' ? (
            <select
              multiple
              size={5}
              aria-label={`Values of axis ${i + 1}`}
              value={listOf(axis.values)}
              onChange={({ target }) =>
                set(i, { values: [...target.selectedOptions].map(({ value }) => value).join(', ') })
              }
            >
              <Options of={ARM_OPTIONS} />
            </select>
          ) : (
            <input
              type="text"
              aria-label={`Values of axis ${i + 1}`}
              placeholder="0.01, 0.03 or 0.001 … 0.1, 5, log"
              value={axis.values}
              onChange={(event) => set(i, { values: event.target.value })}
            />
          )}
          <Button
            label="Remove"
            disabled={axes.length === 1}
            aria-label={`Remove axis ${i + 1}`}
            onClick={() => actions.set({ axes: axes.filter((_, at) => at !== i) })}
          />
        </div>
      ))}
      <Button
        label="Add an axis"
        onClick={() =>
          actions.set({
            axes: [
              ...axes,
              { option: AXIS_NAMES.find((name) => !axes.some(({ option }) => option === name)) ?? 'lr', values: '' },
            ],
          })
        }
      />
    </fieldset>
  );
}

/** The sweep's size before it starts: the number of runs, and time and memory as measured on this device. */
function Plan({ plan }: { plan: SweepPlan }) {
  const actions = useSweepActions();
  const isReady = useLab((state) => state.connection.status === 'ready' && !state.busy);
  const [estimate, setEstimate] = useState<RunEstimate | null>(null);
  const { runs, rollouts, shared } = sizeOf(plan);
  const all = plan.configurations.map(({ rungs }) => rungs[rungs.length - 1][0].spec);
  const longest = all.reduce((most, spec) => (runCost(spec) > runCost(most) ? spec : most), all[0]);
  const text = JSON.stringify(longest);
  useEffect(() => {
    setEstimate(null);
    if (!isReady) return;
    let isStale = false;
    const timer = setTimeout(() => {
      const spec = { ...experimentOf(parseJsonText(text) as RunSpec), device: plan.spec.device };
      actions.estimate(spec).then(
        (found) => isStale || setEstimate(found),
        () => {},
      );
    }, 400);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text, isReady, actions, plan.spec.device]);
  const perRollout = estimate?.seconds ? estimate.seconds.total / runCost(longest) : null;
  const { configurations, spec, quota, rungSteps, metric } = plan;
  return (
    <p className="sweep-plan" role="status">
      <b className="num">
        {configurations.length} {configurations.length === 1 ? 'configuration' : 'configurations'} × {spec.seeds.length}{' '}
        {spec.seeds.length === 1 ? 'seed' : 'seeds'}: {runs} {runs === 1 ? 'run' : 'runs'}
      </b>
      {quota.length > 1
        ? ` in ${quota.length} rungs (${quota.map((count, i) => `${count} of ${rungSteps[i]} steps`).join(', then ')})`
        : ''}
      , ranked by {metric.id} ({metric.goal} is better).
      {idleOptions(plan).map((sentence) => ` ${sentence}`)}
      {shared > 0 ? ` ${shared} runs are those of another configuration too, and are made once.` : ''}{' '}
      {perRollout === null
        ? 'Time and memory are measured when nothing trains.'
        : `About ${duration(perRollout * rollouts)} here, one after another; ${bytesText(estimate!.memory.total)} of memory.`}
      {estimate?.misfit ? ` ${estimate.misfit.message} ${estimate.misfit.remedy}` : ''}
    </p>
  );
}

async function linkOfSweep(plan: SweepPlan): Promise<string> {
  const url = new URL(window.location.href);
  url.search = '?view=sweeps';
  url.hash = await encodeSweep(plan.spec);
  return url.href;
}

function CopyLink({ plan }: { plan: SweepPlan }) {
  const lab = useLabActions();
  async function copy(): Promise<void> {
    const href = await linkOfSweep(plan);
    window.history.replaceState(window.history.state, '', href);
    await navigator.clipboard?.writeText(href).catch(() => {});
    lab.tell('good', 'The link is in the address, and copied where the browser allows it.');
  }
  return <Button label="Link" onClick={() => void copy()} />;
}
