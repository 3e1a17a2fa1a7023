"""Services over the world that both the trees and the runner use; they know neither nodes nor HTTP."""
