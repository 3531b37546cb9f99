// Package planfile loads plans from files (docs/wire.md, "Plans"): a *.json file of one plan each, or folders of
// them.
//
//  1. A plan is loaded whole and valid, or not at all: an error names the file and the place in it, the line
//     where it is no JSON.
//  2. Everything that is wrong with the files is told at once.
//  3. Two plans of one version of an agent are an error, which names both files.
//  4. A folder's plans are its own *.json files, sorted by name.
package planfile
