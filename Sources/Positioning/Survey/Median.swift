/// The median of many numbers, without sorting all of them.
package struct Median: Sendable {
    private var work: [Double] = []

    package init() {}

    /// - Returns: The middle value, or the mean of the two middle ones; 0 for no values. None may be NaN.
    package mutating func callAsFunction(of values: [Double]) -> Double {
        work = values
        guard !work.isEmpty else { return 0 }
        let middle = work.count / 2
        let upper = select(middle)
        // What is left of the middle is not larger.
        guard work.count % 2 == 0, let lower = work[..<middle].max() else { return upper }
        return (lower + upper) / 2
    }

    /// Moves the value that belongs at a place there: Hoare's selection.
    private mutating func select(_ place: Int) -> Double {
        var (first, last) = (0, work.count - 1)
        while first < last {
            let pivot = work[first + (last - first) / 2]
            var (left, right) = (first, last)
            while left <= right {
                while work[left] < pivot { left += 1 }
                while work[right] > pivot { right -= 1 }
                guard left <= right else { break }
                work.swapAt(left, right)
                left += 1
                right -= 1
            }
            if place <= right {
                last = right
            } else if place >= left {
                first = left
            } else {
                break
            }
        }
        return work[place]
    }
}
