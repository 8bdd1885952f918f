// Plays a run's steps one after another: the current step, whether it is playing, and functions that change both.
import { type RefObject, useEffect, useState } from 'react';

/** Milliseconds per step. */
const STEP_MS = 280;

export interface Player {
  /** Index of the shown step. */
  at: number;
  isPlaying: boolean;
  go(at: number): void;
  toggle(): void;
  /** Called when the pointer or focus leaves the slider. The diagram stays at its step. */
  leave?(): void;
}

const prefersStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Initially shows the last of `length` steps, so that a still diagram shows the outcome. With `ref` it plays once from the first step when
 * that element scrolls into view, unless the user prefers reduced motion.
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
