// The rollouts of the shown experiment: filtered by runs and steps, counted by reward, grouped by prompt, and read one by one. The heads of
// all rollouts are loaded, but only the texts of those on screen (store/rollouts/source.ts).

import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { shownView } from '../../store/lab-state.ts';
import { poolName, poolUseText } from '../../store/pools/words.ts';
import { rolloutRunOfLog } from '../../store/rollouts/labelling.ts';
import { type RolloutRef, refKey } from '../../store/rollouts/link.ts';
import {
  groupRollouts,
  NO_FILTER,
  passesFilter,
  type RolloutFilter,
  rewardBins,
} from '../../store/rollouts/rollouts.ts';
import { type RolloutRun, rolloutRunOf } from '../../store/rollouts/runs.ts';
import type { Shading } from '../../store/rollouts/tokens.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { dropFiles } from '../models/drop.ts';
import { Button } from '../parts/Button.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { ShadeLegend } from './rollouts/Code.tsx';
import { Filters, type Scope } from './rollouts/Filters.tsx';
import { Histogram } from './rollouts/Histogram.tsx';
import { LabelTools } from './rollouts/Labels.tsx';
import { LogHead } from './rollouts/LogHead.tsx';
import { useDeepLink } from './rollouts/use-deep-link.ts';
import { useHeads, useLabels, usePaced, useSame, useSettled } from './rollouts/use-rollouts.ts';

// The parts that draw rollouts are loaded with the first rollouts.
const RolloutList = lazyPart(() => import('./rollouts/RolloutList.tsx'), <p className="group-wait">Loading …</p>);
const ForkButton = lazyPart(() => import('./ForkButton.tsx'));
const Detail = lazyPart(() => import('./rollouts/Detail.tsx'));

export default function Rollouts() {
  const lab = useLabActions();
  // Deferred, because it changes several times a second and input has priority.
  const view = useDeferredValue(useLab(shownView));
  const newest = useLab((state) => state.rollouts);
  // The newest step is shown with a delay, and a step that the user requested is shown at once.
  const paced = usePaced(newest);
  const log = useLab((state) => state.log);
  const labels = useLab((state) => state.labels);
  const chosen = newest?.asked === undefined && newest !== null ? (paced ?? newest) : newest;
  const [own, setOwn] = useState<Scope | null>(null);
  const [filter, setFilter] = useState<RolloutFilter>(NO_FILTER);
  const [text, setText] = useState('');
  const [shading, setShading] = useState<Shading>('nothing');
  const [selected, setSelected] = useState<RolloutRef | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const settledText = useSettled(text, 250);

  // A step that was asked for elsewhere (a chart's point, a link) replaces what was set here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scope resets when either changes
  useEffect(() => setOwn(null), [newest?.asked, view?.id, log?.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is set only when a step is asked for
  useEffect(() => {
    if (newest?.outcome !== undefined) setFilter({ ...NO_FILTER, source: 'student', verdict: newest.outcome });
  }, [newest?.asked]);

  const runs = useMemo(
    () => (log ? [rolloutRunOfLog(log)] : (view?.runs.filter((run) => run.rows.length > 0).map(rolloutRunOf) ?? [])),
    [view, log],
  );
  useLabels(runs);
  const current = runs.find((run) => run.id === chosen?.runId) ?? runs.at(-1);
  // A log is shown completely, and a run from its newest step.
  const step = log ? log.steps[0] : (chosen?.step ?? current?.steps().at(-1) ?? 1);
  const scope: Scope = own ?? {
    arm: current?.arm ?? 'all',
    seed: current?.seed ?? 'all',
    from: step,
    to: log ? Number.POSITIVE_INFINITY : step,
  };
  const inScope = runs.filter(
    ({ arm, seed }) => (scope.arm === 'all' || arm === scope.arm) && (scope.seed === 'all' || seed === scope.seed),
  );
  // The run that the fork button uses: the one in the scope if there is a single one, otherwise the current one.
  const forked = (inScope.length === 1 ? inScope[0] : current)?.record;
  const forkStep = Number.isFinite(scope.to) ? scope.to : step;
  const spans = useSame(
    inScope.map((run) => ({ runId: run.id, steps: run.steps().filter((at) => at >= scope.from && at <= scope.to) })),
  );
  const steps = [...new Set([...inScope.flatMap((run) => run.steps()), scope.from])].sort((a, b) => a - b);
  const { heads, pending } = useHeads(spans, settledText);
  const groups = useMemo(() => groupRollouts(heads, filter, labels), [heads, filter, labels]);
  const flat = useMemo(() => groups.flatMap((group) => group.rollouts), [groups]);
  const bins = useMemo(
    () =>
      rewardBins(
        heads.filter((head) => passesFilter({ ...filter, reward: null }, head, labels.get(refKey(head))?.label)),
      ),
    [heads, filter, labels],
  );
  const kinds = useMemo(() => [...new Set(heads.map((head) => head.kind))].sort(), [heads]);
  const rolloutPresentation = current?.presentation ?? rolloutPresentationOf(view?.planned[0]?.environment ?? '');
  const at = selected ? flat.findIndex((head) => refKey(head) === refKey(selected)) : -1;

  const openRollout = useCallback((ref: RolloutRef) => {
    setSelected(ref);
    setIsOpen(true);
  }, []);
  function move(by: 1 | -1): void {
    const next = flat[Math.min(flat.length - 1, Math.max(0, at + by))];
    if (next) setSelected(next);
  }
  // A log is not stored, so no link leads to it.
  useDeepLink(isOpen && !log ? selected : null, openRollout);
  const isNarrowed = filter !== NO_FILTER || text !== '' || own !== null || newest?.isPinned === true;

  return (
    <Section
      id="rollouts"
      title="Rollouts"
      lead="What the student and the cached teacher wrote, how it was graded, and what it earned."
      actions={
        <>
          <LogFile />
          {current?.record ? <LogButton run={current} /> : null}
          {forked && forkStep <= forked.rows.length ? <ForkButton run={forked} step={forkStep} /> : null}
        </>
      }
    >
      {log ? <LogHead log={log} /> : null}
      {current ? (
        <>
          <Filters
            stepName={current.stepName}
            scope={scope}
            arms={[...new Set(runs.flatMap(({ arm }) => (arm === '' ? [] : arm)))]}
            seeds={[...new Set(runs.map(({ seed }) => seed))]}
            steps={steps}
            kinds={kinds}
            rolloutPresentation={rolloutPresentation}
            filter={filter}
            text={text}
            shading={shading}
            onScope={(patch) => setOwn({ ...scope, ...patch })}
            onFilter={(patch) => setFilter({ ...filter, ...patch })}
            onText={setText}
            onShading={setShading}
            onReset={
              isNarrowed
                ? () => {
                    setFilter(NO_FILTER);
                    setText('');
                    setOwn(null);
                    if (newest?.isPinned) void lab.showRollouts(newest.runId, null);
                  }
                : null
            }
          >
            <p className="filters-count num" role="status">
              {pending ? 'Reading … ' : ''}
              {flat.length} of {heads.length} rollouts, {groups.length} {groups.length === 1 ? 'group' : 'groups'}
            </p>
          </Filters>
          {current.record?.spec.teacherPool ? <PoolNote run={current.record} /> : null}
          {bins.length > 0 ? (
            <Histogram
              outcomes={rolloutPresentation.outcomes}
              bins={bins}
              chosen={filter.reward}
              onChoose={(reward) => setFilter({ ...filter, reward })}
            />
          ) : null}
          <LabelTools runs={runs} />
          <ShadeLegend shading={shading} />
          {groups.length === 0 && !pending ? (
            <p className="none">
              {heads.length === 0 && settledText === ''
                ? `No rollouts of these ${current.stepName}s are kept in this browser.`
                : 'No rollout fits: widen the steps or clear the filters.'}
            </p>
          ) : (
            <RolloutList
              groups={groups}
              flat={flat}
              runs={runs}
              shading={shading}
              at={at}
              onMove={move}
              onOpen={openRollout}
            />
          )}
        </>
      ) : (
        <Empty title="No rollouts yet">
          <p>{rolloutPresentation.lead}</p>
        </Empty>
      )}
      {selected ? (
        <Detail
          rollout={isOpen ? selected : null}
          run={runs.find((run) => run.id === selected?.runId)}
          at={at}
          count={flat.length}
          shading={shading}
          onShading={setShading}
          onMove={move}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </Section>
  );
}

/** Opens an Inspect log from a file, which can also be dropped on the page. */
function LogFile() {
  const lab = useLabActions();
  return (
    <FileButton
      label="Open a log"
      what="Log of Inspect"
      accept=".eval,.json"
      onFiles={(files) => void dropFiles(lab, files)}
    />
  );
}

/** Saves the run's rollouts as an Inspect log, as the command line writes it. */
function LogButton({ run }: { run: RolloutRun }) {
  const lab = useLabActions();
  async function save(): Promise<void> {
    const log = await lab.exportLog(run.id);
    if (log) saveFile(log.name, log.blob);
  }
  return (
    <Button
      icon="download"
      label="Inspect log"
      title={`Download the rollouts of ${run.name} for inspect view`}
      onClick={() => void save()}
    />
  );
}

/** Names the stored pool that a run's teacher rows come from. */
function PoolNote({ run }: { run: RunRecord }) {
  const { teacherPool: sha256, maxNew } = run.spec;
  return (
    <p className="pool-note muted">
      Teacher rows come from <PoolLabel sha256={sha256} />
      {run.teacherPool ? `: ${poolUseText(run.teacherPool, maxNew)}.` : '.'}
    </p>
  );
}

/** The pool's name if it is stored here, and the start of its hash. */
function PoolLabel({ sha256 }: { sha256: string }) {
  const pool = useLab((state) => state.pools.find((kept) => kept.sha256 === sha256));
  return (
    <>
      {pool ? `the pool “${poolName(pool)}” ` : 'a pool that is not kept here '}
      <span className="mono" title={sha256}>
        {sha256.slice(0, 12)}
      </span>
    </>
  );
}
