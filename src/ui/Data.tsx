// What runs train on besides the built-in problems: teacher pools, and files of real problems.
import Pools from './keep/Pools.tsx';
import ProblemFiles from './problems/ProblemFiles.tsx';

export default function Data() {
  return (
    <>
      <Pools />
      <ProblemFiles />
    </>
  );
}
