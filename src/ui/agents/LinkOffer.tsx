// What a link brings, shown before it is played: a scenario of somebody else's runs nothing here until a person says so.
import { Button } from '../parts/Button.tsx';
import { are, useAre } from './use-are.ts';

export function LinkOffer() {
  const offer = useAre((state) => state.offer);
  const isReading = useAre((state) => state.isReading);
  if (!offer) return null;
  const { scenario, agent, tasks, calls } = offer;
  return (
    <section className="are-facts" aria-label="From the link">
      <p>
        <b>This link holds a run.</b> It has not been played yet.
      </p>
      <dl className="facts-table">
        <dt>Scenario</dt>
        <dd>{scenario}</dd>
        {tasks.length > 0 ? (
          <>
            <dt>The user asks</dt>
            <dd>
              {tasks.map((task) => (
                <p key={task} className="are-task">
                  {task}
                </p>
              ))}
            </dd>
          </>
        ) : null}
        <dt>Who acts</dt>
        <dd>{agent}</dd>
        {calls.length > 0 ? (
          <>
            <dt>Calls in the link</dt>
            <dd>
              <ol className="are-plain">
                {calls.map((call, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a call is its place
                  <li key={place}>
                    <code>{call}</code>
                  </li>
                ))}
              </ol>
            </dd>
          </>
        ) : null}
      </dl>
      <div className="are-actions">
        <Button
          label="Play the run"
          isLarge
          tone="primary"
          disabled={isReading}
          onClick={() => void are.acceptOffer()}
        />
        <Button label="Do not play" isLarge onClick={are.declineOffer} />
      </div>
    </section>
  );
}
