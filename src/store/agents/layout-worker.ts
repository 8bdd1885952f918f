// The worker that computes graph layouts. It answers requests in the order in which they arrive.
import { type LayoutRequest, layOutGraph } from './graph-layout.ts';

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => self.postMessage(layOutGraph(data));
