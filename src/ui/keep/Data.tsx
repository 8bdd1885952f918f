// What runs train on besides the built-in problems: teacher pools, and files of real problems.
import ProblemFiles from '../problems/ProblemFiles.tsx';
import Pools from './Pools.tsx';

export default function Data() {
  return (
    <>
      <Pools />
      <ProblemFiles />
    </>
  );
}
