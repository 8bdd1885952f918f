// Plays the steps of a run, one after the other: a place among them, whether it moves, and who moves it.
import { type RefObject, useEffect, useState } from 'react';

/** A step stays this long. */
const STEP_MS = 280;

export interface Player {
  /** Index of the step on show. */
  at: number;
  isPlaying: boolean;
  go(at: number): void;
  toggle(): void;
}

const prefersStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Without a choice the last of `length` steps is on show, so that one still picture tells where it led; with `ref` it plays once from the
 * first when that comes into view, unless motion is not wanted.
 */
export function usePlayer(length: number, ref?: RefObject<HTMLElement | null>): Player {
  const [chosen, choose] = useState<number | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const at = Math.max(0, Math.min(chosen ?? length - 1, length - 1));
  const isAtEnd = at >= length - 1;

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => choose((now) => Math.min((now ?? -1) + 1, length - 1)), STEP_MS);
    return () => clearInterval(timer);
  }, [isPlaying, length]);
  useEffect(() => {
    if (isPlaying && isAtEnd) setPlaying(false);
  }, [isPlaying, isAtEnd]);

  useEffect(() => {
    const element = ref?.current;
    if (!element || length < 2 || prefersStill()) return;
    const observer = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        observer.disconnect();
        choose((now) => now ?? 0);
        setPlaying(true);
      },
      { threshold: 0.6 },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, length]);

  return {
    at,
    isPlaying,
    go(to) {
      setPlaying(false);
      choose(to);
    },
    toggle() {
      if (!isPlaying && isAtEnd) choose(0);
      setPlaying(!isPlaying);
    },
  };
}
