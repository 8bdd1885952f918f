// A part of the page that is loaded when it is first drawn, with a placeholder until then.
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  meanwhile: ReactNode = null,
): ComponentType<P> {
  const Part: ComponentType<P> = lazy(load);
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Part {...props} />
    </Suspense>
  );
}

/** Placeholder of a whole view. */
export const LOADING = (
  <p className="chart-wait" role="status">
    Loading …
  </p>
);
