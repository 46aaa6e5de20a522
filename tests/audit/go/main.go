// Reads a mirrored log with the Go project's own packages, which share no line with this project, and checks
// all of it: the signed checkpoint, every tile, every entry, inclusion of every entry, consistency from many sizes.
//
//	go run main.go FOLDER VERIFIER-KEY
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// folder serves tiles. The package names them tile/8/L/N; the tlog-tiles layout leaves out the height.
type folder string

func (f folder) Height() int                         { return height }
func (f folder) SaveTiles(_ []tlog.Tile, _ [][]byte) {}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, 0, len(tiles))
	for _, tile := range tiles {
		data, err := os.ReadFile(f.path(tile))
		if os.IsNotExist(err) {
			data, err = f.wider(tile)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

// wider cuts a tile out of the widest one that the folder has: a mirror keeps one partial tile of each row,
// and the package asks for as little of it as it needs.
func (f folder) wider(tile tlog.Tile) ([]byte, error) {
	for width := 1 << height; width > tile.W; width-- {
		wide := tile
		wide.W = width
		if data, err := os.ReadFile(f.path(wide)); err == nil {
			return data[:tile.W*tlog.HashSize], nil
		}
	}
	return nil, os.ErrNotExist
}

func (f folder) path(tile tlog.Tile) string {
	name := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return filepath.Join(string(f), name)
}

// entries reads a bundle: each entry stands behind its length in two bytes.
func (f folder) entries(n int64, width int) [][]byte {
	tile := tlog.Tile{H: height, L: 0, N: n, W: width}
	path := filepath.Join(string(f), strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
	data, err := os.ReadFile(path)
	must(err)
	var found [][]byte
	for len(data) > 0 {
		length := int(binary.BigEndian.Uint16(data))
		found = append(found, data[2:2+length])
		data = data[2+length:]
	}
	if len(found) != width {
		log.Fatalf("%s holds %d entries, not %d", path, len(found), width)
	}
	return found
}

// tilesOf lists the tiles of hashes of a tree, one partial tile at the end of each row.
func tilesOf(size int64) []tlog.Tile {
	var found []tlog.Tile
	for level := 0; size>>(height*level) > 0; level++ {
		count := size >> (height * level)
		for n := int64(0); n < count>>height; n++ {
			found = append(found, tlog.Tile{H: height, L: level, N: n, W: 1 << height})
		}
		if rest := int(count % (1 << height)); rest > 0 {
			found = append(found, tlog.Tile{H: height, L: level, N: count >> height, W: rest})
		}
	}
	return found
}

func main() {
	place, vkey := folder(os.Args[1]), os.Args[2]
	verifier, err := note.NewVerifier(vkey)
	must(err)
	signed, err := os.ReadFile(filepath.Join(string(place), "checkpoint"))
	must(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	tree := tlog.Tree{N: size, Hash: root}
	// This reader proves every hash it gives against the tree's head.
	hashes := tlog.TileHashReader(tree, place)

	tiles := 0
	for _, tile := range tilesOf(size) {
		derived, err := tlog.ReadTileData(tile, hashes)
		must(err)
		served, err := os.ReadFile(place.path(tile))
		must(err)
		if !bytes.Equal(derived, served) {
			log.Fatalf("%s differs", tile.Path())
		}
		tiles++
	}
	entries := int64(0)
	for n := int64(0); n*256 < size; n++ {
		width := size - n*256
		if width > 256 {
			width = 256
		}
		for k, entry := range place.entries(n, int(width)) {
			index := n*256 + int64(k)
			// Every entry of a small log, one in 97 of a large one.
			if size < 2000 || index%97 == 0 {
				proof, err := tlog.ProveRecord(size, index, hashes)
				must(err)
				must(tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(entry)))
			}
			entries++
		}
	}
	consistent := 0
	for old := int64(1); old <= size; old += 1 + size/300 {
		head, err := tlog.TreeHash(old, hashes)
		must(err)
		proof, err := tlog.ProveTree(size, old, hashes)
		must(err)
		must(tlog.CheckTree(proof, size, root, old, head))
		consistent++
	}
	answer, err := json.Marshal(map[string]any{
		"name": verifier.Name(), "entries": entries, "tiles": tiles, "consistent": consistent,
	})
	must(err)
	fmt.Println(string(answer))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
