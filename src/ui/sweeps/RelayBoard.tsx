// What goes on at a relay's queue, as the relay says it every few seconds: who is at what, how much waits, what it takes and how long yet,
// and each run's line and log while it is made.
import type { Board } from '../../experiments/sweep/relay/messages.ts';
import { duration, significant } from '../../lib/numbers.ts';
import type { Heard } from '../../store/sweeps/sweeps.ts';
import { useSweeps } from '../lab-context.ts';
import { Fact } from '../parts/Fact.tsx';
import { Trend } from './figures.tsx';

const NOTHING: readonly Heard[] = [];

export function RelayBoard({ board }: { board: Board }) {
  const { workers, atWork, waiting, toCheck, held, made, checks, retried, lost, liars, apart } = board;
  const { spent, perHour, left } = board;
  return (
    <>
      <div role="status" aria-label="Queue of the relay">
        <dl className="sweep-facts">
          <Fact name="At work" value={`${atWork} ${atWork === 1 ? 'worker' : 'workers'}`} />
          <Fact name="Waiting" value={`${waiting}${toCheck > 0 ? `, ${toCheck} to check` : ''}`} />
          <Fact name="Received" value={`${made}${checks > 0 ? `, ${checks} made twice` : ''}`} />
          <Fact name="Not checked yet" value={String(held)} />
          <Fact name="Tried again" value={`${retried}${lost > 0 ? `; ${lost} lost their worker` : ''}`} />
          <Fact name="Failed (3 tries)" value={String(apart.length)} />
          <Fact name="Workers with wrong results" value={String(liars)} />
          <Fact name="Speed" value={perHour === null ? '–' : `${perHour.toFixed(0)} runs/h`} />
          <Fact name="Workers’ time" value={`${duration(spent)} since the relay began`} />
          <Fact name="Time left" value={left === null ? 'after the first run' : `about ${duration(left)}`} />
        </dl>
      </div>
      <ul className="sweep-runs" aria-label="Runs at work">
        {workers.map((run) => (
          <AtWork key={run.id} run={run} />
        ))}
      </ul>
      {apart.map(({ id, message }) => (
        <p key={id} className="sweep-error">
          Failed: {id}: {message}
        </p>
      ))}
    </>
  );
}

function AtWork({ run }: { run: Board['workers'][number] }) {
  const { id, key, worker, step, of, attempt } = run;
  const heard = useSweeps((state) => state.heard.get(id) ?? NOTHING);
  const isCheck = id.startsWith('check.');
  return (
    <li className="sweep-run">
      <span className="sweep-run-name">{key}</span>
      <progress max={of} value={step} aria-label={`Steps of ${key}`} />
      <span className="num muted">
        {step}/{of} {worker ?? ''}
        {isCheck ? ', to check' : ''}
        {attempt > 1 ? `, try ${attempt}` : ''}
      </span>
      <details className="sweep-heard">
        <summary>Chart and log</summary>
        <Trend points={heard.flatMap(({ step, reward }) => (reward === null ? [] : [{ step, reward }]))} of={of} />
        <pre className="num">
          {heard
            .map(({ step, reward, worker }) => `step ${step}/${of}  reward ${significant(reward)}  ${worker ?? ''}`)
            .join('\n')}
        </pre>
      </details>
    </li>
  );
}
