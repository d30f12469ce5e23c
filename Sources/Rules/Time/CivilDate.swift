import Text

/// A date of the Gregorian calendar in the years 1 to 9999.
///
/// Dates before the calendar was introduced are counted by its rules, too.
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// What ``init(_:)`` accepts, for messages.
    package static let legalForm = "a date yyyy-mm-dd that exists"

    /// Day numbers of the first and the last date.
    package static let dayNumbers = -719_162...2_932_896

    /// - Returns: `nil` for a date that does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, 1...12 ~= month, 1...CivilTime.length(ofMonth: month, in: year) ~= day else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// - Parameter dayNumber: Days since 1970-01-01; what lies outside the years 1 to 9999 is moved to the
    ///   border.
    package init(dayNumber: Int) {
        let legal = Self.dayNumbers
        (year, month, day) = CivilTime.date(ofDay: min(max(dayNumber, legal.lowerBound), legal.upperBound))
    }

    /// Parses `yyyy-mm-dd`; `nil` for any other text and for a date that does not exist.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let time = CivilTime(text) else { return nil }
        self.init(dayNumber: Int(time.milliseconds / 86_400_000))
    }

    /// Days since 1970-01-01.
    package var dayNumber: Int { CivilTime.day(year, month, day) }

    /// 1 is Sunday, 7 is Saturday.
    package var weekday: Int { Self.weekday(ofDay: dayNumber) }

    /// The weekday of a day counted from 1970-01-01, a Thursday; 1 is Sunday.
    static func weekday(ofDay number: Int) -> Int { ((number + 4) % 7 + 7) % 7 + 1 }

    /// Days of the month.
    package var daysOfMonth: Int { CivilTime.length(ofMonth: month, in: year) }
}

extension CivilDate: Comparable {
    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CivilDate: CustomStringConvertible {
    /// `yyyy-mm-dd`.
    package var description: String {
        String(CivilTime.text(milliseconds: Int64(dayNumber) * 86_400_000).prefix(10))
    }
}
