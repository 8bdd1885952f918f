// What is open: the scenario, what the user asks for, and the run that a file may hold.
import { duration } from '../../lib/numbers.ts';
import { useAre } from './use-are.ts';

export function ScenarioFacts() {
  const scenario = useAre((state) => state.scenario);
  if (!scenario) return null;
  const { id, source, start, apps, events, turns, tasks, skipped, held } = scenario;
  return (
    <section className="are-facts" aria-label="Scenario">
      <dl className="facts-table">
        <dt>Scenario</dt>
        <dd>
          {id} <span className="muted">({source})</span>
        </dd>
        <dt>Universe</dt>
        <dd>
          {apps.length} apps, {events} events, {turns === 1 ? 'one turn' : `${turns} turns`}; from {start} for at most{' '}
          {duration(scenario.duration)}
        </dd>
        <dt>The user asks</dt>
        <dd>
          {[...new Set(tasks)]
            .filter((task) => task !== '')
            .map((task) => (
              <p key={task} className="are-task">
                {task}
              </p>
            ))}
        </dd>
        {skipped.length > 0 ? (
          <>
            <dt>Left out</dt>
            <dd>{skipped.join('; ')}</dd>
          </>
        ) : null}
        {held ? (
          <>
            <dt>Run in the file</dt>
            <dd>
              {held.agent}: <span className={`tag ${held.success ? 'good' : 'bad'}`}>{held.outcome}</span>{' '}
              <span className="muted">judged from the file; Run plays the scenario again</span>
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}
