// Package recording loads recordings (docs/wire.md, "Recordings"): NDJSON files of one conversation each, or
// folders of them.
//
//  1. What a file holds is told, never fatal: a line that is no record becomes a [Problem] with the file, the
//     line's number and the reason, and the records around it stay.
//  2. A file that can't be read, or that holds no record at all, is an error that names it, with the first
//     line that is wrong and why.
//  3. A folder's recordings are its own *.ndjson files, sorted by name.
package recording
