// Compares stored runs: the user chooses arms of any experiments, and one of them as the reference. All arms in its environment are
// overlaid in charts, with a warning if METHOD forbids a comparison. A permitted comparison has a table paired by seed, and a forbidden one
// states the reason.
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type ComparedGroup, compareGroups, groupsOf } from '../../experiments/analysis/compare-runs.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import type { SettingName } from '../../experiments/config/settings.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import { differingSettings, looksBy } from '../../store/charts/colour-by.ts';
import {
  type CompareChoice,
  compareInAddress,
  compareParams,
  experimentOfGroup,
} from '../../store/charts/compare-link.ts';
import { lookOfGroup } from '../../store/charts/overlay.ts';
import { pinnedLines } from '../../store/charts/pinned.ts';
import { type ChartLook, chartSet } from '../../store/charts/set.ts';
import { FIELD_INFO } from '../../store/draft.ts';
import { shortName, titlesOf } from '../../store/kinds/run/titles.ts';
import { experimentOf } from '../../store/rollouts/link.ts';
import { HeadlineCharts } from '../charts/Charts.tsx';
import { Smoothing } from '../charts/Controls.tsx';
import { Swatch } from '../charts/Legend.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { useAddressChoice } from '../parts/address-choice.ts';
import { Options } from '../parts/Choice.tsx';
import NotKept from '../parts/NotKept.tsx';
import { goInLab } from '../parts/PlaceLink.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { Pair } from './ComparePair.tsx';
import './compare.css';

export default function Compare() {
  const lab = useLabActions();
  const kept = useLab((state) => state.kept.run);
  const titles = useMemo(() => titlesOf(kept), [kept]);
  /** Groups of the experiments that have been read so far, by group id. */
  const [groups, setGroups] = useState<ReadonlyMap<string, ComparedGroup>>(new Map());
  const isReady = useLab((state) => state.connection.status === 'ready');
  const [choice, choose] = useAddressChoice(compareInAddress, compareParams);
  const { picked, reference } = choice;
  const change = (changes: Partial<CompareChoice>) => choose((before) => withChanges(before, changes));
  const drop = (isDropped: (id: string) => boolean) =>
    choose((before) => withChanges(before, { picked: before.picked.filter((id) => !isDropped(id)) }));

  /** The experiment's groups, read again at every choice, because the experiment may have continued. */
  async function read(experiment: string): Promise<void> {
    const loaded = await lab.loadKept(experiment);
    if (!loaded) {
      drop((id) => experimentOfGroup(id) === experiment);
      return;
    }
    const own = groupsOf(experiment, shortName(titles.get(experiment) ?? ''), loaded.record.spec, loaded.runs);
    setGroups((before) => new Map([...before, ...own.map((group) => [group.id, group] as const)]));
  }

  function toggle(summary: ExperimentSummary, id: string): void {
    if (picked.includes(id)) {
      drop((other) => other === id);
      return;
    }
    choose((before) => withChanges(before, { picked: [...before.picked, id] }));
    if (!unread.includes(summary.id)) void read(summary.id);
  }

  const keptIds = new Set(kept.map(({ id }) => id));
  const wanted = [...new Set(picked.map(experimentOfGroup))];
  // Experiments in the address are read as soon as they are known to be stored, for example after an import.
  const unread = wanted.filter(
    (id) => keptIds.has(id) && ![...groups.keys()].some((group) => experimentOfGroup(group) === id),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of unread ones says when there is something to read
  useEffect(() => {
    for (const experiment of unread) void read(experiment);
  }, [unread.join()]);
  const missing = isReady ? wanted.find((id) => !keptIds.has(id)) : undefined;
  const chosen = picked.flatMap((id) => {
    const group = groups.get(id);
    return group && keptIds.has(experimentOfGroup(id)) ? [group] : [];
  });
  const base = chosen.find((group) => group.id === reference) ?? chosen[0];

  return (
    <>
      {missing === undefined ? null : (
        <NotKept kind="run" id={missing} onClose={() => drop((id) => experimentOfGroup(id) === missing)} />
      )}
      <Section
        id="compare"
        title="Compare"
        lead="Pick arms of kept runs. Each is compared with the reference, seed by seed."
        more="A comparison that would mislead is refused, with the reason."
      >
        {kept.length === 0 ? (
          <Empty title="Nothing kept yet">
            <p>
              Run an experiment first: every arm of it can be compared here, with the arms of any other run kept in this
              browser.
            </p>
          </Empty>
        ) : (
          <div className="compare-pick">
            {kept.map((summary) => (
              <Picks
                key={summary.id}
                summary={summary}
                title={titles.get(summary.id) ?? ''}
                picked={picked}
                onToggle={(id) => toggle(summary, id)}
              />
            ))}
          </div>
        )}
        {base ? (
          <label className="compare-reference">
            <span>Reference</span>
            <select value={base.id} onChange={(event) => change({ reference: event.target.value })}>
              <Options of={chosen.map((group) => [group.id, group.label] as const)} />
            </select>
          </label>
        ) : null}
        {chosen.length === 1 ? <p className="muted">Pick at least one more to compare with it.</p> : null}
      </Section>
      {base && chosen.length > 1 ? (
        <Outcome base={base} others={chosen.filter((group) => group !== base)} choice={choice} onChange={change} />
      ) : null}
    </>
  );
}

interface PicksProps {
  summary: ExperimentSummary;
  title: string;
  picked: readonly string[];
  onToggle: (id: string) => void;
}

function Picks({ summary, title, picked, onToggle }: PicksProps) {
  const { spec, status, stepsDone, stepsTotal } = summary;
  return (
    <fieldset>
      <legend>
        <b>{title}</b>
        <span className="muted num">
          {spec.seeds.length === 1 ? 'seed' : 'seeds'} {spec.seeds.join(', ')} ·{' '}
          {status === 'done' ? 'done' : `${status}, ${stepsDone} of ${stepsTotal} steps`}
        </span>
      </legend>
      <div>
        {groupsOf(summary.id, '', spec, []).map((group) => (
          <label key={group.id} className="compare-choice">
            <input type="checkbox" checked={picked.includes(group.id)} onChange={() => onToggle(group.id)} />
            <Swatch entry={{ style: lookOfGroup(group) }} />
            <span>{nameOf(group.arm, group.model, spec.arms)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A reference that is no longer among the chosen groups is ignored. */
function withChanges(before: CompareChoice, changes: Partial<CompareChoice>): CompareChoice {
  const { picked = before.picked, reference = before.reference, by = before.by, beta = before.beta } = changes;
  return { picked, reference: reference !== null && picked.includes(reference) ? reference : null, by, beta };
}

interface OutcomeProps {
  base: ComparedGroup;
  others: readonly ComparedGroup[];
  choice: Pick<CompareChoice, 'by' | 'beta'>;
  onChange: (changes: Partial<CompareChoice>) => void;
}

function Outcome({ base, others, choice: { by, beta }, onChange }: OutcomeProps) {
  const lab = useLabActions();
  const pairs = useMemo(
    () => others.map((other) => ({ other, comparison: compareGroups(base, other) })),
    [base, others],
  );
  // All runs that have started in the reference's environment are drawn. Only comparable ones get a table, and the others a warning.
  const environment = base.runs[0]?.spec.environment ?? '';
  const drawn = [base, ...others.filter(({ runs }) => runs[0]?.spec.environment === environment)];
  const warned = pairs.filter(({ other, comparison }) => !comparison.allowed && drawn.includes(other));
  const settings = differingSettings(drawn);
  const colouring = settings.find((name) => name === by) ?? null;
  const coloured = colouring && looksBy(drawn, colouring);
  const steps = Math.max(1, ...drawn.flatMap(({ runs }) => runs.map(({ spec }) => spec.steps)));
  const openStep = useCallback(
    async (runId: string, step: number) => {
      await lab.open(experimentOf(runId));
      await lab.showRollouts(runId, step);
      goInLab('rollouts');
    },
    [lab],
  );
  const build = (look: ChartLook) =>
    chartSet([], beta, 'step', steps, { ...look, pinned: pinnedLines(drawn, [], coloured?.looks) });
  return (
    <>
      {drawn.length > 1 ? (
        <Section
          id="compare-charts"
          title="Overlaid"
          lead="The reference and the picked arms of its environment, each the mean over its seeds."
        >
          {warned.length > 0 ? (
            <p className="callout slim" data-testid="overlay-warning">
              <b>Drawn, not comparable:</b> {warned.map(({ other }) => other.label).join('; ')}.{' '}
              {settings.length > 0 ? `Settings differ: ${settings.map(labelOf).join(', ')}.` : ''} The reasons are
              below.
            </p>
          ) : null}
          <div className="chart-choices">
            <Smoothing value={beta} onChange={(value) => onChange({ beta: value })} />
            {settings.length > 0 ? (
              <label className="compare-reference">
                <span>Colour by</span>
                <select value={colouring ?? ''} onChange={(event) => onChange({ by: event.target.value })}>
                  <option value="">arm</option>
                  <Options of={settings.map((name) => [name, labelOf(name)] as const)} />
                </select>
              </label>
            ) : null}
          </div>
          {coloured ? (
            <ul className="legend" aria-label="Colours">
              {coloured.values.map(({ value, style }) => (
                <li key={value}>
                  <Swatch entry={{ style }} />
                  <span>{value || 'none'}</span>
                </li>
              ))}
            </ul>
          ) : null}
          <HeadlineCharts place="compare-chart" environment={environment} build={build} onOpen={openStep} />
        </Section>
      ) : null}
      {pairs.map(({ other, comparison }) => (
        <Pair key={other.id} base={base} other={other} comparison={comparison} />
      ))}
    </>
  );
}

const labelOf = (name: SettingName) => FIELD_INFO.find((field) => field.name === name)?.label ?? name;
