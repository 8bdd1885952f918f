// "Run what is missing": what it is and what it takes, before anything is started; then how far it has come. What cannot be made
// in a browser says so, with the command that makes it.
import { useEffect } from 'react';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { duration } from '../../../lib/numbers.ts';
import type { Cost } from '../../../store/kinds/study/cost.ts';
import type { Missing as MissingWork } from '../../../store/kinds/study/missing.ts';
import { progressText } from '../../../store/runs/progress.ts';
import { useLab, useQuestions, useQuestionsActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { Icon } from '../../parts/Icon.tsx';

export function Missing({ id }: { id: QuestionId }) {
  const actions = useQuestionsActions();
  const loading = useQuestions((state) => state.loading !== null);
  const missing = useQuestions((state) => state.missing.get(id)) ?? null;
  const round = useQuestions((state) => state.round);
  const cost = useQuestions((state) => state.costs.get(id)) ?? null;
  const queue = useQuestions((state) => state.queue);
  const ready = useLab((state) => state.connection.status === 'ready');
  const device = useLab((state) => state.device?.name ?? '');
  const busy = useLab((state) => state.busy);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs that come, a lab that opens, another device, a run that ends: each gives another price
  useEffect(() => {
    if (!loading) void actions.price(id);
  }, [actions, id, loading, round, ready, device, busy]);

  if (!missing) return null;
  const { runs, quarantines, elsewhere } = missing;
  const command = `npm run lab -- study --question ${id}`;
  const mine = queue?.question === id ? queue : null;
  const working = queue?.status === 'running';
  if (runs + quarantines + elsewhere === 0 && mine?.status !== 'running')
    return <p className="question-missing muted">Nothing is missing: every planned run is there.</p>;
  return (
    <section className="question-missing" aria-label={`What is missing of ${id}`}>
      <h3>What is missing</h3>
      {runs + quarantines > 0 ? (
        <p data-testid={`cost-${id}`}>
          {amount(missing)}
          {cost ? `, ${time(cost)}` : ' …'}
        </p>
      ) : null}
      {cost?.misfit ? (
        <p className="callout bad">
          {cost.misfit.message} {cost.misfit.remedy}
        </p>
      ) : null}
      {mine ? <QueueProgress id={id} /> : null}
      <div className="question-actions">
        {working && mine ? (
          <Button isLarge tone="danger" onClick={() => void actions.stop()}>
            <Icon name="stop" size={14} />
            Stop
          </Button>
        ) : runs + quarantines > 0 ? (
          <Button
            isLarge
            tone="primary"
            disabled={!ready || busy || working || cost === null || cost.misfit !== null}
            onClick={() => void actions.runMissing(id)}
          >
            <Icon name="play" size={14} />
            Run what is missing
          </Button>
        ) : null}
        {!ready ? <span className="muted">The lab is not open (yet) in this browser.</span> : null}
        {ready && busy && !working ? <span className="muted">An experiment is running.</span> : null}
      </div>
      <p className="muted">
        {elsewhere > 0
          ? `${elsewhere} ${elsewhere === 1 ? 'quarantine' : 'quarantines'} of published runs need the steps of those runs, which are not in this browser: `
          : 'The same on the command line: '}
        <code>{command}</code>
      </p>
    </section>
  );
}

function amount({ runs, quarantines }: MissingWork): string {
  const parts = [
    ...(runs > 0 ? [`${runs} ${runs === 1 ? 'run' : 'runs'}`] : []),
    ...(quarantines > 0 ? [`${quarantines} ${quarantines === 1 ? 'quarantine' : 'quarantines'} to replay`] : []),
  ];
  return parts.join(' and ');
}

function time({ seconds, device, isHere }: Cost): string {
  if (seconds === null) return 'the time is unknown until something has been measured on this device';
  const about = `about ${duration(Math.max(1, seconds))}`;
  return isHere ? `${about} on this device (${device})` : `${about} at the pace of the published runs (${device})`;
}

/** How far the queue is, or how it ended. */
function QueueProgress({ id }: { id: QuestionId }) {
  const queue = useQuestions((state) => state.queue);
  const progress = useLab((state) => state.progress);
  if (queue?.question !== id) return null;
  const { status, done, of, what, fraction, problem } = queue;
  if (status === 'failed')
    return (
      <p className="callout bad" role="alert">
        <b>It failed.</b> {problem?.message} {problem?.remedy}
      </p>
    );
  if (status !== 'running')
    return (
      <p role="status">
        {status === 'done' ? 'Done.' : `Stopped after ${done} of ${of} parts; what is finished stays.`}
      </p>
    );
  const within = progress?.fraction ?? fraction ?? 0;
  return (
    <div className="progress">
      <p className="progress-line" role="status">
        <span>
          Part {Math.min(done + 1, of)} of {of}: {what}
        </span>
      </p>
      <progress value={(done + within) / of} aria-label={`Progress of ${id}`} />
      <p className="muted num">{progress ? progressText(progress) : ''}</p>
    </div>
  );
}
