#!/usr/bin/env node
/**
 * The file of the `stator` command. It only loads the program: a file that runs something must hold no code that others
 * need too, or the build would have those others require it, and a library would start the command line.
 */
void import('./program.ts').then(({ runProgram }) => runProgram());
