extension String {
    /// Whether there is nothing to read in it: only spaces, line ends and characters without a shape.
    package var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format: true
            default: false
            }
        }
    }
}
