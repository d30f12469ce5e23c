import Positioning
import Testing

@Suite struct HeadingFilterTests {
    @Test(arguments: [
        (0, 0), (2.4, 0), (2.6, 5), (357.4, 355), (357.6, 0), (359.9, 0), (360, 0), (-2, 0), (-4, 355),
    ])
    func `the first heading is rounded to five degrees`(_ heading: Double, _ rounded: Int) {
        var filter = HeadingFilter()
        #expect(filter.update(with: heading) == rounded)
    }

    @Test func `the value does not change between two steps`() {
        var filter = HeadingFilter()
        #expect(filter.update(with: 90) == 90)
        for heading in [92.6, 93.5, 87.4, 86.5, 90] { #expect(filter.update(with: heading) == nil) }
        #expect(filter.update(with: 93.6) == 95)
        #expect(filter.update(with: 91.5) == nil)
        #expect(filter.update(with: 91.4) == 90)
    }

    @Test func `whole degrees do not flicker`() {
        var filter = HeadingFilter(step: 1)
        #expect(filter.update(with: 45.4) == 45)
        for heading in [45.6, 44.4, 45.69] { #expect(filter.update(with: heading) == nil) }
        #expect(filter.update(with: 45.8) == 46)
        #expect(filter.update(with: 359.8) == 0)
    }

    @Test func `the value crosses north in one step in either direction`() {
        var filter = HeadingFilter()
        #expect(filter.update(with: 355) == 355)
        #expect(filter.update(with: 358.4) == nil)
        #expect(filter.update(with: 358.6) == 0)
        #expect(filter.update(with: 357) == nil)
        #expect(filter.update(with: 356.4) == 355)
        #expect(filter.update(with: 3) == 5)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func `NaN and infinity are ignored`(
        _ heading: Double
    ) {
        var filter = HeadingFilter()
        #expect(filter.update(with: heading) == nil)
        #expect(filter.update(with: 40) == 40)
        #expect(filter.update(with: heading) == nil)
        #expect(filter.degrees == 40)
    }

    @Test func `any number gives a valid step`() {
        var generator = SeededGenerator(seed: 3)
        var filter = HeadingFilter()
        for _ in 0..<20_000 {
            let heading = Double(bitPattern: generator.next())
            if let rounded = filter.update(with: heading) {
                #expect((0...355).contains(rounded) && rounded % 5 == 0)
            }
        }
        #expect(filter.degrees != nil)
    }
}
