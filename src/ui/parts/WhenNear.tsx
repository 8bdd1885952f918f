// What stands below the first screen, made when it comes into view: neither its script nor its file delays what is seen first.
import { type ReactNode, useEffect, useRef, useState } from 'react';

/** @param height of the room that is kept for it until then, in pixels */
export function WhenNear({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isNear ? children : <div ref={place} style={{ minHeight: height }} />;
}
