// A row of the device view: whether the page may share memory between threads, and if not, why and what to do.
import { useEffect, useState } from 'react';
import { type Isolation, pageIsolation } from '../../lab/isolation.ts';

export function IsolationFact() {
  const [found, setFound] = useState<Isolation | null>(null);
  useEffect(() => {
    let open = true;
    void pageIsolation().then((isolation) => open && setFound(isolation));
    return () => {
      open = false;
    };
  }, []);
  return (
    <>
      <dt>Cross-origin isolated</dt>
      <dd>
        {found === null ? (
          'asking …'
        ) : found.isolated ? (
          'yes: threads can share memory'
        ) : (
          <>
            no, so the CPU uses one thread: {found.why}. {found.remedy}
          </>
        )}
      </dd>
    </>
  );
}
