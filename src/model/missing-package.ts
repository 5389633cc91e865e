/** Tells whether a package is not installed, which `import()` and `require` report under different codes. */
export function isMissingPackage(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
