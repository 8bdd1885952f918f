// Places a graph's nodes and arrows with dagre (in layers, with few crossings). Since this is slow, the page runs it in a worker
// (layout-worker.ts).
import dagre from '@dagrejs/dagre';

export interface LayoutRequest {
  /** Left to right, or top to bottom. */
  readonly direction: 'LR' | 'TB';
  /** Size of every node, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly id: string; readonly after: readonly string[] }[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Upper left corners, in the order of the request. */
  readonly nodes: readonly { readonly id: string; readonly x: number; readonly y: number }[];
  readonly arrows: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

export function layOutGraph({ direction, width, height, nodes }: LayoutRequest): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 14, ranksep: 34, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map(({ id }) => id));
  for (const { id } of nodes) graph.setNode(id, { width, height });
  for (const { id, after } of nodes) for (const from of after) if (known.has(from)) graph.setEdge(from, id);
  dagre.layout(graph);
  const size = graph.graph();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as { x: number; y: number };
      return { id, x: x - width / 2, y: y - height / 2 };
    }),
    arrows: graph
      .edges()
      .map((edge) => ({
        from: edge.v,
        to: edge.w,
        points: (graph.edge(edge) as { points: { x: number; y: number }[] }).points.map(({ x, y }) => [x, y] as const),
      })),
  };
}
