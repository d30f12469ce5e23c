/// When each of several wants to be asked again: the earliest is at hand, and a change costs little however many
/// there are.
package struct Deadlines: Sendable {
    private var dues: [Int64?]
    /// Who has a due, as a heap: nobody is due before the one above.
    private var heap: [Int] = []
    /// Where in the heap each of them is.
    private var places: [Int?]

    /// - Parameter count: How many there are; none of them wants to be asked yet.
    package init(count: Int) {
        dues = Array(repeating: nil, count: count)
        places = Array(repeating: nil, count: count)
    }

    /// When the first of them wants to be asked.
    package var earliest: Int64? { heap.first.flatMap { dues[$0] } }

    /// When one of them does; `nil` for not at all.
    package subscript(index: Int) -> Int64? {
        get { dues[index] }
        set {
            guard newValue != dues[index] else { return }
            dues[index] = newValue
            switch (places[index], newValue) {
            case (let place?, nil): remove(at: place)
            case (let place?, _?): settle(place)
            case (nil, _?):
                heap.append(index)
                places[index] = heap.count - 1
                settle(heap.count - 1)
            case (nil, nil): break
            }
        }
    }

    /// Those that wanted to be asked by now, in their order; they do not want it any more.
    package mutating func takeDue(at now: Int64) -> [Int] {
        var taken: [Int] = []
        while let first = heap.first, let due = dues[first], due <= now {
            taken.append(first)
            self[first] = nil
        }
        return taken
    }

    // MARK: The heap

    private mutating func remove(at place: Int) {
        let last = heap.count - 1
        swap(place, last)
        places[heap.removeLast()] = nil
        if place < last { settle(place) }
    }

    /// Moves one to where it belongs, up or down.
    private mutating func settle(_ place: Int) {
        var place = place
        while place > 0, isBefore(place, (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            var first = place
            for below in [2 * place + 1, 2 * place + 2] where below < heap.count && isBefore(below, first) {
                first = below
            }
            guard first != place else { return }
            swap(place, first)
            place = first
        }
    }

    /// Whether the one at a place of the heap is due before the one at another.
    private func isBefore(_ place: Int, _ other: Int) -> Bool {
        (dues[heap[place]] ?? .max, heap[place]) < (dues[heap[other]] ?? .max, heap[other])
    }

    private mutating func swap(_ place: Int, _ other: Int) {
        heap.swapAt(place, other)
        places[heap[place]] = place
        places[heap[other]] = other
    }
}
