// The probe on show is `?run=` in the address of its view. Returns the id of a requested probe that is not stored here, and a function that
// clears it.
import { useEffect, useRef, useState } from 'react';
import { useLab, useLabActions, useProbe, useProbeActions } from '../lab-context.ts';
import { followRecord } from '../parts/record-address.ts';

export function useProbeAddress(): [missing: string | null, forget: () => void] {
  const lab = useLabActions();
  const probe = useProbeActions();
  const isReady = useLab((state) => state.connection.status === 'ready');
  const kept = useLab((state) => state.kept.probe);
  const shown = useProbe((state) => state.shown?.record.id ?? null);
  const [missing, setMissing] = useState<string | null>(null);
  const onShow = useRef(shown);
  const address = useRef<ReturnType<typeof followRecord> | null>(null);

  useEffect(() => {
    const follower = followRecord({
      view: 'probe',
      now: () => onShow.current,
      open(id) {
        const isKept = lab.store.getState().kept.probe.some((record) => record.id === id);
        if (isKept) void probe.show(id);
        setMissing(isKept ? null : id);
      },
      close: () => probe.hide(),
    });
    address.current = follower;
    return follower.stop;
  }, [lab, probe]);

  // The stored probes are known only when the lab is open.
  useEffect(() => {
    if (isReady) address.current?.arrive();
  }, [isReady]);

  useEffect(() => {
    const next = missing ?? shown;
    if (next === onShow.current) return;
    onShow.current = next;
    address.current?.write(shown !== null);
  }, [missing, shown]);

  // It is shown as soon as it is stored, for example after its import.
  useEffect(() => {
    if (missing === null || !kept.some(({ id }) => id === missing)) return;
    setMissing(null);
    void probe.show(missing);
  }, [kept, missing, probe]);

  return [missing, () => setMissing(null)];
}
