// Work for a relay: which one, what this page would do for it, how it goes, and what goes on at its queue; also without working for it.
// Nothing begins before a person says so.
import { useLab, useSweepActions, useSweeps } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Section } from '../parts/Section.tsx';
import { RelayBoard } from './RelayBoard.tsx';

const PHASES = {
  connecting: 'Connecting …',
  watching: 'Watching.',
  waiting: 'Waiting for a run.',
  training: 'Training.',
  away: 'The relay does not answer. Trying again.',
  ended: 'Ended.',
} as const;

export function WorkPanel() {
  const actions = useSweepActions();
  const offered = useSweeps((state) => state.offered);
  const state = useSweeps(({ relay }) => relay);
  const isReady = useLab(({ connection }) => connection.status === 'ready');
  const isConnected = state !== null && state.phase !== 'ended';
  const isWatching = state?.phase === 'watching';
  const host = state?.relay ?? (offered ? new URL(offered.relay).host : '');
  return (
    <Section
      id="relay-work"
      title={`Work for ${host}`}
      lead="This tab takes runs from the relay, trains them here, and sends back rows and evaluations, nothing else."
      more="Some runs are repeated elsewhere and compared."
    >
      <div role="status" aria-label="Work for a relay">
        {state ? (
          <p>
            <b>{PHASES[state.phase]}</b> {state.message ?? ''}{' '}
            {isWatching ? null : (
              <span className="num">
                {state.made} {state.made === 1 ? 'run' : 'runs'} sent.
              </span>
            )}
          </p>
        ) : null}
        {state?.run ? (
          <p className="num">
            Step {state.run.step} of {state.run.of}: {state.run.key}
          </p>
        ) : null}
      </div>
      <div className="sweep-actions">
        {isConnected && !isWatching ? null : (
          <Button
            label={`Work for ${host}`}
            isLarge
            tone="primary"
            disabled={!offered || !isReady}
            onClick={() => void actions.workFor()}
          />
        )}
        {isConnected ? (
          <Button
            label={isWatching ? 'Stop watching' : 'Stop working'}
            isLarge
            onClick={() => void actions.stopWork()}
          />
        ) : (
          <Button
            label="Watch only"
            isLarge
            disabled={!offered || !isReady}
            onClick={() => void actions.workFor(true)}
          />
        )}
      </div>
      {isConnected && state.board ? <RelayBoard board={state.board} /> : null}
    </Section>
  );
}
