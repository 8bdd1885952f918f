// The last rollouts with their grades, grouped by prompt: what was asked, what was written, and what it earned.
import { useMemo, useState } from 'react';
import { ARMS } from '../../experiments/spec.ts';
import { shownView } from '../../store/lab-state.ts';
import { groupRollouts, NO_FILTER, type RolloutFilter } from '../../store/rollouts.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Empty, Section } from '../parts/Section.tsx';
import { usePaced } from '../parts/use-paced.ts';
import { Group } from './Group.tsx';

/** Prompts on one page of the list. */
const PAGE = 2;

export function Rollouts() {
  const lab = useLabActions();
  const view = useLab(shownView);
  const chosen = useLab((state) => state.rollouts);
  const [filter, setFilter] = useState<RolloutFilter>(NO_FILTER);
  const [page, setPage] = useState(0);
  const paced = usePaced(chosen?.rollouts, 0);
  const groups = useMemo(() => (paced ? groupRollouts(paced, filter) : []), [paced, filter]);
  const modes = useMemo(() => [...new Set(chosen?.rollouts.map((rollout) => rollout.mode))].sort(), [chosen]);
  const pages = Math.max(1, Math.ceil(groups.length / PAGE));
  const at = Math.min(page, pages - 1);
  const shown = groups.reduce((sum, group) => sum + group.rollouts.length, 0);

  function narrow(patch: Partial<RolloutFilter>): void {
    setFilter({ ...filter, ...patch });
    setPage(0);
  }

  return (
    <Section
      id="rollouts"
      title="Rollouts"
      lead="What the student and the cached teacher wrote, how it was graded, and what it earned."
    >
      {view && chosen ? (
        <>
          <div className="filters">
            <Choice
              label="Run"
              value={chosen.runId}
              onChange={(runId) => void lab.showRollouts(runId, null)}
              options={view.runs
                .filter((run) => run.rows.length > 0)
                .map((run) => [run.id, `${ARMS[run.spec.arm]?.label ?? run.spec.arm}, seed ${run.spec.seed}`])}
            />
            <Choice
              label="Step"
              value={String(chosen.step)}
              onChange={(step) => void lab.showRollouts(chosen.runId, Number(step))}
              options={chosen.steps.map((step) => [String(step), String(step)])}
            />
            <Choice
              label="Source"
              value={filter.source}
              onChange={(source) => narrow({ source: source as RolloutFilter['source'] })}
              options={['all', 'student', 'teacher'].map((name) => [name, name])}
            />
            <Choice
              label="Verdict"
              value={filter.verdict}
              onChange={(verdict) => narrow({ verdict: verdict as RolloutFilter['verdict'] })}
              options={['all', 'exploited', 'solved', 'failed'].map((name) => [name, name])}
            />
            <Choice
              label="Mode"
              value={filter.mode}
              onChange={(mode) => narrow({ mode })}
              options={['all', ...modes].map((name) => [name, name])}
            />
            <p className="filters-count num" role="status">
              {shown} of {chosen.rollouts.length}
            </p>
          </div>
          {groups.length === 0 ? (
            <p className="none">No rollout of this step fits the filter.</p>
          ) : (
            groups.slice(at * PAGE, (at + 1) * PAGE).map((group) => <Group key={group.key} group={group} />)
          )}
          {pages > 1 ? <Pager at={at} pages={pages} onChange={setPage} /> : null}
        </>
      ) : (
        <Empty title="No rollouts yet">
          <p>
            Each step samples a group of answers per prompt. A rollout is <b>exploited</b> when it passes its grader but
            is wrong on tests nobody sees; <b>solved</b> when it is right on them. GRPO compares rewards within the
            group only, and the reward never sees which of the two it was.
          </p>
        </Empty>
      )}
    </Section>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label className="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Pager({ at, pages, onChange }: { at: number; pages: number; onChange: (page: number) => void }) {
  return (
    <nav className="pager" aria-label="Pages of rollouts">
      <button type="button" className="btn small" disabled={at === 0} onClick={() => onChange(at - 1)}>
        Previous
      </button>
      <span className="num muted">
        {at + 1} / {pages}
      </span>
      <button type="button" className="btn small" disabled={at === pages - 1} onClick={() => onChange(at + 1)}>
        Next
      </button>
    </nav>
  );
}
