// The buffer of an ExIt run, from its last checkpoint: the depths of its histories, and below each base task the answers from which
// training can start, each with the return variance of its last group. A lazy chunk, because only runs with a buffer need it.
import { useState } from 'react';
import { plural } from '../../../experiments/analysis/words.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { decimal } from '../../../lib/numbers.ts';
import type { ExperimentView } from '../../../store/experiment-view.ts';
import { type BufferNode, type BufferTask, bufferTree, depthTable } from '../../../store/runs/exit-tree.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { HeatTable } from '../../parts/HeatTable.tsx';
import { RunChoice } from '../../parts/RunChoice.tsx';
import { useLatest } from '../../parts/use-loaded.ts';
import { Flows } from './Flows.tsx';
import './buffer.css';

/** Number of tasks drawn at first. */
const SOME = 12;

const keepsAnswers = ({ spec: { starts = 'tasks' } }: RunRecord) => starts !== 'tasks' && starts !== 'drafts';

export default function Buffer({ view }: { view: ExperimentView }) {
  const runs = view.runs.filter(keepsAnswers);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  if (runs.length === 0) return null;
  const run = runs.find(({ id }) => id === chosen) ?? runs[0];
  return (
    <details className="chart-group" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h3>Buffer</h3>
        <span className="muted">answers that the run begins from</span>
      </summary>
      {open ? (
        <>
          <RunChoice runs={runs} chosen={run} choose={setChosen} />
          <RunBuffer key={run.id} runId={run.id} steps={run.rows.length} every={run.spec.checkpointEvery} />
        </>
      ) : null}
    </details>
  );
}

/** The buffer of one run, read again at each checkpoint. */
function RunBuffer({ runId, steps, every }: { runId: string; steps: number; every: number }) {
  const lab = useLabActions();
  const [all, setAll] = useState(false);
  const age = Math.floor(steps / Math.max(1, every));
  const read = useLatest(() => lab.exitBuffer(runId), age);
  if (read === undefined) return <p role="status">Reading the last checkpoint …</p>;
  if (!read) return <p className="muted">No checkpoint yet: the buffer is read from the run’s checkpoints.</p>;
  const { entries, inserted, step, flows } = read;
  if (entries.length === 0)
    return (
      <div className="buffer">
        <p className="muted">After step {step} it is empty: nothing was left to improve.</p>
        <Flows flows={flows} />
      </div>
    );
  const tasks = bufferTree(entries);
  const most = Math.max(...entries.map(({ score }) => score));
  return (
    <div className="buffer" data-testid="buffer">
      <p>
        After step {step}: {plural(entries.length, 'answer')} of {plural(tasks.length, 'task')}, {inserted} put in so
        far. Bars: variance of the last group’s returns, which is what it can teach (at most {decimal(most)}).
      </p>
      <Flows flows={flows} />
      <HeatTable label="Depths of the buffer" {...depthTable(entries)} />
      <ul className="buffer-tasks" aria-label="Tasks in the buffer">
        {(all ? tasks : tasks.slice(0, SOME)).map((task) => (
          <BufferTaskItem key={task.task} of={task} most={most} />
        ))}
      </ul>
      {!all && tasks.length > SOME ? <Button label={`All ${tasks.length} tasks`} onClick={() => setAll(true)} /> : null}
    </div>
  );
}

function BufferTaskItem({ of: { task, entries, roots }, most }: { of: BufferTask; most: number }) {
  return (
    <li>
      <p>
        <code>{task}</code> <span className="muted num">{plural(entries, 'answer')}</span>
      </p>
      <ul>
        {roots.map((node) => (
          <BufferNodeItem key={node.entry.id} node={node} most={most} />
        ))}
      </ul>
    </li>
  );
}

function BufferNodeItem({ node: { entry, children }, most }: { node: BufferNode; most: number }) {
  const { history, score, uses } = entry;
  const last = history[history.length - 1];
  return (
    <li>
      <details>
        <summary>
          <code>{last.text}</code> <span className="num">quality {decimal(last.quality)}</span>{' '}
          <meter min={0} max={most || 1} value={score} title={`score ${decimal(score)}`} />{' '}
          <span className="muted num">{uses === 0 ? 'not yet used as a start' : `used as a start ${uses}×`}</span>
        </summary>
        <ol className="buffer-history">
          {history.map(({ text, quality }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: answers are identified by their place in the history
            <li key={i}>
              <code>{text}</code> <span className="muted num">quality {decimal(quality)}</span>
            </li>
          ))}
        </ol>
      </details>
      {children.length > 0 ? (
        <ul>
          {children.map((node) => (
            <BufferNodeItem key={node.entry.id} node={node} most={most} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}
