import Daemon
import Testing

/// Which list the broker uses.
struct AccessListProgressTests {
    @Test func `a list is used some time after it was confirmed`() {
        var progress = AccessListProgress()
        #expect(progress.isComplete)
        progress.made("a", 1, at: 0)
        #expect(progress.look("old", at: 100) == nil)
        #expect(!progress.isComplete)
        #expect(progress.look("a", at: 400) == nil)
        #expect(progress.look("a", at: 899) == nil)
        #expect(progress.look("a", at: 900) == 1)
        #expect(progress.isComplete)
        #expect(progress.look("a", at: 1000) == nil)
    }

    @Test func `without confirmations a list is used after two seconds`() {
        var progress = AccessListProgress()
        progress.made("a", 1, at: 0)
        #expect(progress.look(nil, at: 1999) == nil)
        #expect(progress.look(nil, at: 2000) == 1)
    }

    @Test func `a confirmation that does not come is waited for ten seconds`() {
        var progress = AccessListProgress()
        progress.made("a", 1, at: 0)
        #expect(progress.look("old", at: 9999) == nil)
        #expect(progress.look("old", at: 10_000) == 1)
    }

    @Test func `a list without a difference is used as soon as the one before it is`() {
        var progress = AccessListProgress()
        progress.made("a", 1, at: 0)
        #expect(progress.look("a", at: 0) == nil)
        #expect(progress.look("a", at: 500) == 1)
        progress.made("a", 2, at: 600)
        #expect(!progress.isComplete)
        #expect(progress.look("a", at: 600) == 2)
        progress.made("a", 2, at: 700)
        #expect(progress.isComplete)
    }

    @Test func `a newer confirmed list replaces those before it, and an older one does not wait for it`() {
        var progress = AccessListProgress()
        progress.made("a", 1, at: 0)
        progress.made("b", 2, at: 200)
        progress.made("c", 3, at: 400)
        #expect(progress.look("b", at: 500) == nil)
        #expect(progress.look("b", at: 1000) == 2)
        #expect(!progress.isComplete)
        #expect(progress.look("c", at: 1100) == nil)
        #expect(progress.look("c", at: 1600) == 3)
        #expect(progress.isComplete)
    }

    @Test func `moves without end do not delay those before them`() {
        var progress = AccessListProgress()
        var passed: [Int] = []
        for turn in 0..<50 {
            let now = Int64(turn) * 200
            progress.made("\(turn)", turn, at: now)
            if let number = progress.look(nil, at: now) { passed.append(number) }
        }
        #expect(passed == Array(0..<40))
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `a clock that is set ends the wait at most`(moment: Int64) {
        var progress = AccessListProgress()
        progress.made("a", 1, at: 0)
        #expect(progress.look(nil, at: moment) == (moment == 0 ? nil : 1))
    }
}
