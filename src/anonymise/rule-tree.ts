import { type PathStep, pathText } from './path.ts';
import type { AttributeRule } from './rules.ts';

/** What was done to the values of one rule. */
export interface AttributeReport {
  readonly path: string;
  changed: number;
  kept: number;
  dropped: number;
  /** Values that fitted no template. */
  unmatched: number;
}

export type Counted = AttributeReport & { readonly rule: AttributeRule };

/** The rules below one place of an item. */
export interface RuleNode {
  /** The rule for values here, and for all below that no other rule names. */
  values: Counted | undefined;
  /** The rule for the names of the members. */
  names: Counted | undefined;
  readonly members: Map<string, RuleNode>;
  any: RuleNode | undefined;
  each: RuleNode | undefined;
}

/** Where the walk through an item is. */
export interface Place {
  /** The rules that may apply, the most specific first. */
  readonly nodes: readonly RuleNode[];
  /** The rule of a value around this one, which holds unless a nearer one does. */
  readonly around: Counted | undefined;
  readonly parent: Place | undefined;
  readonly step: PathStep;
}

export function newNode(): RuleNode {
  return { values: undefined, names: undefined, members: new Map(), any: undefined, each: undefined };
}

export function plant(root: RuleNode, attribute: Counted): void {
  let node = root;
  for (const step of attribute.rule.steps) {
    if (step.kind === 'names') {
      node.names = attribute;
      return;
    }
    if (step.kind === 'member') {
      const next = node.members.get(step.name) ?? newNode();
      node.members.set(step.name, next);
      node = next;
    } else {
      node = node[step.kind] ??= newNode();
    }
  }
  node.values = attribute;
}

/** The rules one step further; a name comes before `*`. */
export function below(nodes: readonly RuleNode[], step: PathStep): readonly RuleNode[] {
  if (nodes.length === 0) return nodes;
  const next: RuleNode[] = [];
  if (step.kind === 'member')
    for (const { members } of nodes) if (members.has(step.name)) next.push(members.get(step.name)!);
  for (const { any, each } of nodes) {
    const wide = step.kind === 'each' ? each : any;
    if (wide !== undefined) next.push(wide);
  }
  return next;
}

export function innerPlace(place: Place, step: PathStep): Place {
  return { nodes: below(place.nodes, step), around: ruleAt(place), parent: place, step };
}

export function ruleAt({ nodes, around }: Place): Counted | undefined {
  for (const { values } of nodes) if (values !== undefined) return values;
  return around;
}

export function stepsOf(place: Place): PathStep[] {
  const steps: PathStep[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) steps.unshift(at.step);
  return steps;
}

export function textOf(place: Place): string {
  return stepsOf(place).reduce(pathText, '');
}
