// The finding of an environment that has no demo because it needs the user's own model: the sentence with its bars, and rollouts to read.
// Loaded when such an environment is chosen.
import { EnvironmentFinding, FindingBeside } from './EnvironmentFinding.tsx';
import { FindingBars } from './FindingBars.tsx';
import { RunForm } from './Published.tsx';
import Samples from './Samples.tsx';
import { useEnvironmentHeadline } from './use-demo.ts';

export default function PublishedFinding({ environment }: { environment: string }) {
  const headline = useEnvironmentHeadline(environment);
  if (!headline) return null;
  return (
    <section className="published" aria-label="What was found">
      <EnvironmentFinding environment={environment} />
      <div className="published-body">
        <div className="published-drawn">
          <FindingBars headline={headline} />
          <FindingBeside environment={environment} />
          <div className="published-tools">
            <RunForm words="Run these settings" />
          </div>
        </div>
        <Samples environment={environment} />
      </div>
    </section>
  );
}
