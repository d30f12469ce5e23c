import Positioning
import Testing

struct MedianTests {
    @Test func `the median is that of the sorted values`() {
        var (random, median) = (SeededGenerator(seed: 5), Median())
        for count in 1..<200 {
            // Few different values, so that many are equal.
            let values = (0..<count).map { _ in
                Double(Int.random(in: 0..<2 + count / 3, using: &random)) - 7.5
            }
            let sorted = values.sorted()
            let expected =
                count % 2 == 1
                ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
            #expect(median(of: values) == expected, "\(values)")
        }
    }

    @Test func `ordered, equal, infinite and no values have one, too`() {
        var median = Median()
        #expect(median(of: []) == 0 && median(of: [3]) == 3 && median(of: [1, 2]) == 1.5)
        #expect(median(of: Array(repeating: 4, count: 99)) == 4)
        #expect(median(of: (0..<101).map(Double.init)) == 50)
        #expect(median(of: (0..<101).reversed().map(Double.init)) == 50)
        #expect(median(of: [-.infinity, 2, .infinity]) == 2)
    }
}
