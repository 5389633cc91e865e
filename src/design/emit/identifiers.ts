/** `saas-audit` → `SaasAudit`: letters and digits only, as logical ids and class names want them. */
export function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `T${joined}`;
}

/** `saas-audit` → `saasAudit`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  // `GSI1` stays whole: gsi1, not gSI1.
  const head = /^[A-Z]+(?![a-z])/.exec(pascal)?.[0] ?? pascal[0]!;
  return head.toLowerCase() + pascal.slice(head.length);
}

/** `saas-audit` → `saas_audit`. */
export function snakeCase(name: string): string {
  const text = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return /^[a-z]/.test(text) ? text : `t_${text}`;
}
